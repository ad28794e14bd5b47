import { appError } from '../../../src/simulator/bot.ts'
import type { Reply } from '../../../src/simulator/exchange.ts'
import {
  chatError,
  connector,
  eachOf,
  hookCode,
  type NamedReplies,
  PASSING,
  status,
} from '../../../src/simulator/faults.ts'
import { HTTP_KINDS, pushError } from '../../../src/simulator/kinds.ts'

/** Failing replies of one provider, as its documentation describes them. */
interface Faults {
  /** "Too many messages: try again after `seconds`"; absent where the provider names no delay. */
  limited?(seconds: number): Reply
  /** Failures that pass: the delivery is tried again. */
  readonly passing: NamedReplies
  /** Refusals: the delivery is dead. */
  readonly final: NamedReplies
  /** Replies with a 2xx that the provider never sends: the delivery is tried again and may arrive twice. */
  readonly garbage: NamedReplies
}

const OF_HTTP = {
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
const CHAT_FINAL =
  'invalid_auth not_authed token_revoked account_inactive channel_not_found not_in_channel is_archived msg_too_long no_text invalid_blocks msg_blocks_too_long'

const FINAL = {
  chatws: { ...OF_HTTP, ...eachOf(CHAT_FINAL.split(' '), chatError) },
  msgapp: {
    ...OF_HTTP,
    'chat not found': appError(400, 'Bad Request: chat not found'),
    'bot was blocked': appError(403, 'Forbidden: bot was blocked by the user'),
  },
  messenger: { ...OF_HTTP, ...eachOf([2, 3, 4], status) },
  officechat: { ...OF_HTTP, 'a 200 that says 404': connector(404) },
  workchat: {
    ...OF_HTTP,
    ...eachOf([19001, 19021, 19022, 19024], (code) => hookCode(code)),
    'code 9499': hookCode(9499, 'Bad Request'),
  },
  ntfy: {
    ...OF_HTTP,
    'an invalid topic': pushError(40009, 'invalid request: topic invalid'),
    'a topic of others': pushError(40301, 'forbidden'),
  },
  email: {
    '550 to the sender': { stage: 'mail', status: 550, body: '5.7.1 not allowed' },
    '550 to the recipient': { stage: 'rcpt', status: 550, body: '5.1.1 no such user' },
    '554 to the message': { status: 554, body: '5.6.0 looks like spam' },
  },
} as const satisfies { readonly [kind: string]: NamedReplies }

type Kind = keyof typeof FINAL

const faultsOf = (kind: Kind, garbage: NamedReplies, limited?: Faults['limited']): Faults => ({
  passing: PASSING[kind],
  final: FINAL[kind],
  garbage,
  ...(limited && { limited }),
})

export const FAULTS: { readonly [K in Kind]: Faults } = {
  chatws: faultsOf('chatws', GARBAGE, HTTP_KINDS.chatws.limited),
  msgapp: faultsOf('msgapp', GARBAGE, HTTP_KINDS.msgapp.limited),
  messenger: faultsOf('messenger', GARBAGE),
  officechat: faultsOf('officechat', {}, HTTP_KINDS.officechat.limited),
  workchat: faultsOf('workchat', GARBAGE),
  ntfy: faultsOf('ntfy', GARBAGE),
  email: faultsOf('email', {}),
}
