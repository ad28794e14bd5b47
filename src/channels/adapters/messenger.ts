import type { Outcome } from '../../domain/delivery/delivery.ts'
import { chatOf, destinationKey, type ProviderClient, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import type { Adapter } from '../channel.ts'
import type { MessengerOptions } from '../kinds/messenger.ts'

/** The provider allows 28 characters. */
const SENDER_NAME = 'Tocsin'

/** Viber REST API: a bot writes to one person (`/pa/send_message`), or posts to a channel (`/pa/post`). */
export const messenger: Adapter<MessengerOptions> = {
  create({ token, mode, apiUrl, ...chats }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const url = `${apiUrl}${mode === 'bot' ? '/pa/send_message' : '/pa/post'}`
    const headers = { 'x-viber-auth-token': token }
    return {
      destination: ({ target }) => destinationKey(target, chats.others),
      async send({ text, target }, signal, onConnected) {
        const id = chatOf(target, chats)
        if (id === undefined) return unknownTarget(target ?? '')
        const json =
          mode === 'bot'
            ? { receiver: id, type: 'text', text, sender: { name: SENDER_NAME } }
            : { from: id, type: 'text', text }
        return postJson(client, { url, headers, json, signal, onConnected }, read)
      },
    }
  },
}

const TOO_MANY_REQUESTS = 12
/** Status 1 to 24 is a documented refusal, final except for 12; other values are failures of the provider. */
const LAST_REFUSAL = 24

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  const words = typeof body?.status_message === 'string' ? body.status_message : undefined
  if (!accepted(answer)) return outcomeOfStatus(answer, context, words)
  if (body === undefined || typeof body.status !== 'number') return unreadable(answer, context)
  const { status } = body
  if (status === 0) return { kind: 'sent', ...tokenOf(answer.body) }
  const reason = scrub(`status ${status}: ${words ?? ''}`, context.secrets)
  const refused = status > 0 && status <= LAST_REFUSAL && status !== TOO_MANY_REQUESTS
  return { kind: refused ? 'failed' : 'retry', reason }
}

/** Reads the token from the JSON text: it is a 64-bit number, which `JSON.parse` would round. */
function tokenOf(body: string): { messageId?: string } {
  const token = /"message_token"\s*:\s*"?(\d+)/.exec(body)?.[1]
  return token === undefined ? {} : { messageId: token }
}
