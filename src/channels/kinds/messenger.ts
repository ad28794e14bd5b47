import { z } from 'zod'
import type { Outcome } from '../../domain/delivery.ts'
import {
  destinationKey,
  destinationOf,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, credential, others, text } from '../options.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    mode: z.enum(['channel', 'bot'], { error: 'must be one of channel, bot' }).default('channel'),
    api_url: apiUrl('https://chatapi.viber.com'),
    other_channel_ids: others(z.string().trim().min(1)),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    mode: raw.mode,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
  }))

/** The provider allows 28 characters. */
const SENDER_NAME = 'Tocsin'

/** Viber REST API: a bot writes to one person (`/pa/send_message`), or posts to a channel (`/pa/post`). */
export const messenger: ChannelKind<z.output<typeof options>> = {
  name: 'messenger',
  options,
  /** The provider allows 30 KB of JSON; 7,000 UTF-16 units are at most 21 KB. */
  text: { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } },
  defaults: { concurrency: 4, rate: { perSecond: 1, burst: 20 } },
  create({ token, channelId, mode, apiUrl, others }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const url = `${apiUrl}${mode === 'bot' ? '/pa/send_message' : '/pa/post'}`
    const headers = { 'x-viber-auth-token': token }
    return {
      destination: ({ target }) => destinationKey(target, others),
      async send({ text, target }, signal, onConnected) {
        const id = destinationOf(target, channelId, others)
        if (id === undefined) return unknownTarget(target ?? '')
        const json =
          mode === 'bot'
            ? { receiver: id, type: 'text', text, sender: { name: SENDER_NAME } }
            : { from: id, type: 'text', text }
        return postJson(client, { url, headers, json, signal, onConnected }, read)
      },
      async close() {},
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
