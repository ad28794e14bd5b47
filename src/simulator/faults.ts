import { appError } from './bot.ts'
import type { Reply } from './exchange.ts'
import { pushError } from './kinds.ts'

/** Replies by name. */
export interface NamedReplies {
  readonly [name: string]: Reply
}

const json = (body: object): Reply => ({ status: 200, body })
export const chatError = (error: string): Reply => json({ ok: false, error })
export const status = (code: number): Reply => json({ status: code, status_message: `status ${code}` })
export const hookCode = (code: number, msg = `code ${code}`): Reply => json({ code, msg, data: {} })
export const connector = (code: number): Reply => ({
  status: 200,
  body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${code} with ContextId tcid=0`,
})

export function eachOf<Code extends string | number>(codes: readonly Code[], reply: (code: Code) => Reply) {
  return Object.fromEntries(codes.map((code) => [String(code), reply(code)]))
}

const OF_HTTP = {
  'HTTP 408': { status: 408, body: 'request timeout' },
  'HTTP 425': { status: 425, body: 'too early' },
  'HTTP 429': { status: 429, body: 'slow down' },
  'HTTP 500': { status: 500, body: 'oops' },
  'HTTP 502': { status: 502, body: '<html><body>bad gateway</body></html>' },
  'HTTP 503': { status: 503, body: '' },
}

/** Failures of each provider that pass, as its documentation describes them: the delivery is tried again. */
export const PASSING = {
  chatws: { ...OF_HTTP, ...eachOf(['ratelimited', 'internal_error', 'fatal_error'], chatError) },
  msgapp: { ...OF_HTTP, 'error 500': appError(500, 'Internal Server Error') },
  messenger: { ...OF_HTTP, 'status 12': status(12), 'an undocumented status': status(99) },
  officechat: { ...OF_HTTP, 'a 200 that says 429': connector(429), 'a 200 that says 502': connector(502) },
  workchat: {
    ...OF_HTTP,
    'code 11232': hookCode(11232, 'frequency limited'),
    'code 9499 about the rate': hookCode(9499, 'too many request'),
  },
  ntfy: {
    ...OF_HTTP,
    'too many requests': pushError(42901, 'limit reached: too many requests, please be nice'),
    'the quota of the day': pushError(42908, 'limit reached: daily message quota reached'),
  },
  email: {
    '451 to the sender': { stage: 'mail', status: 451, body: '4.3.0 try later' },
    '452 to the recipient': { stage: 'rcpt', status: 452, body: '4.2.2 mailbox full' },
    '421 to the message': { status: 421, body: '4.7.0 try again later' },
  },
} satisfies { readonly [kind: string]: NamedReplies }
