import { appError } from './bot.ts'
import type { Reply } from './exchange.ts'
import { HTTP_KINDS, pushError } from './kinds.ts'

/** Failing replies of one provider by name, as its documentation describes them. Tests and `simulate` inject them. */
interface Faults {
  /** "Too many messages: try again after `seconds`"; absent where the provider names no delay. */
  limited?(seconds: number): Reply
  /** Failures that pass: the delivery is tried again. */
  readonly passing: { readonly [name: string]: Reply }
  /** Refusals: the delivery is dead. */
  readonly final: { readonly [name: string]: Reply }
  /** Replies with a 2xx that the provider never sends: the delivery is tried again and may arrive twice. */
  readonly garbage: { readonly [name: string]: Reply }
}

const json = (body: object, status = 200): Reply => ({ status, body })

const STATUS_PASSING = {
  'HTTP 408': { status: 408, body: 'request timeout' },
  'HTTP 425': { status: 425, body: 'too early' },
  'HTTP 429': { status: 429, body: 'slow down' },
  'HTTP 500': { status: 500, body: 'oops' },
  'HTTP 502': { status: 502, body: '<html><body>bad gateway</body></html>' },
  'HTTP 503': { status: 503, body: '' },
}
const STATUS_FINAL = {
  'HTTP 302': { status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
  'HTTP 400': { status: 400, body: 'bad request' },
  'HTTP 401': { status: 401, body: 'unauthorized' },
  'HTTP 404': { status: 404, body: 'not found' },
}
const GARBAGE = {
  'a page of HTML': { status: 200, body: '<html>Please log in to the hotel network</html>' },
  'JSON cut short': { status: 200, body: '{"ok":tr' },
  'JSON of another shape': { status: 200, body: '[1,2,3]' },
  'an empty body': { status: 200, body: '' },
  'HTTP 202 and nothing more': { status: 202, body: '' },
  'a body of 100 KB': { status: 200, body: 'x'.repeat(100_000) },
}

function eachOf<Code extends string | number>(codes: readonly Code[], reply: (code: Code) => Reply) {
  return Object.fromEntries(codes.map((code) => [String(code), reply(code)]))
}

const chatError = (error: string): Reply => json({ ok: false, error })
const status = (code: number): Reply => json({ status: code, status_message: `status ${code}` })
const hookCode = (code: number, msg = `code ${code}`): Reply => json({ code, msg, data: {} })
const connector = (code: number): Reply => ({
  status: 200,
  body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${code} with ContextId tcid=0`,
})
const CHAT_FINAL = [
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'account_inactive',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'msg_too_long',
  'no_text',
  'invalid_blocks',
  'msg_blocks_too_long',
] as const

export const FAULTS: {
  readonly [Kind in 'chatws' | 'msgapp' | 'messenger' | 'officechat' | 'workchat' | 'email' | 'ntfy']: Faults
} = {
  chatws: {
    limited: HTTP_KINDS.chatws.limited,
    passing: { ...STATUS_PASSING, ...eachOf(['ratelimited', 'internal_error', 'fatal_error'], chatError) },
    final: { ...STATUS_FINAL, ...eachOf(CHAT_FINAL, chatError) },
    garbage: GARBAGE,
  },
  msgapp: {
    limited: HTTP_KINDS.msgapp.limited,
    passing: { ...STATUS_PASSING, 'error 500': appError(500, 'Internal Server Error') },
    final: {
      ...STATUS_FINAL,
      'chat not found': appError(400, 'Bad Request: chat not found'),
      'bot was blocked': appError(403, 'Forbidden: bot was blocked by the user'),
    },
    garbage: GARBAGE,
  },
  messenger: {
    passing: { ...STATUS_PASSING, 'status 12': status(12), 'an undocumented status': status(99) },
    final: { ...STATUS_FINAL, ...eachOf([2, 3, 4], status) },
    garbage: GARBAGE,
  },
  officechat: {
    limited: HTTP_KINDS.officechat.limited,
    passing: { ...STATUS_PASSING, 'a 200 that says 429': connector(429), 'a 200 that says 502': connector(502) },
    final: { ...STATUS_FINAL, 'a 200 that says 404': connector(404) },
    garbage: {},
  },
  workchat: {
    passing: {
      ...STATUS_PASSING,
      'code 11232': hookCode(11232, 'frequency limited'),
      'code 9499 about the rate': hookCode(9499, 'too many request'),
    },
    final: {
      ...STATUS_FINAL,
      ...eachOf([19001, 19021, 19022, 19024], (code) => hookCode(code)),
      'code 9499': hookCode(9499, 'Bad Request'),
    },
    garbage: GARBAGE,
  },
  ntfy: {
    passing: {
      ...STATUS_PASSING,
      'too many requests': pushError(42901, 'limit reached: too many requests, please be nice'),
      'the quota of the day': pushError(42908, 'limit reached: daily message quota reached'),
    },
    final: {
      ...STATUS_FINAL,
      'an invalid topic': pushError(40009, 'invalid request: topic invalid'),
      'a topic of others': pushError(40301, 'forbidden'),
    },
    garbage: GARBAGE,
  },
  email: {
    passing: {
      '451 to the sender': { stage: 'mail', status: 451, body: '4.3.0 try later' },
      '452 to the recipient': { stage: 'rcpt', status: 452, body: '4.2.2 mailbox full' },
      '421 to the message': { status: 421, body: '4.7.0 try again later' },
    },
    final: {
      '550 to the sender': { stage: 'mail', status: 550, body: '5.7.1 not allowed' },
      '550 to the recipient': { stage: 'rcpt', status: 550, body: '5.1.1 no such user' },
      '554 to the message': { status: 554, body: '5.6.0 looks like spam' },
    },
    garbage: {},
  },
}
