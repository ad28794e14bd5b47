import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Outcome } from '../../domain/delivery.ts'
import type { Message } from '../../domain/message.ts'
import { type ProviderClient, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { parseObject } from '../../text/json-object.ts'
import { scrub, secretsOfUrl } from '../../text/scrub.ts'
import type { ChannelKind } from '../channel.ts'
import { apiUrl, credential, secret, secretUrl, text } from '../options.ts'

const options = z
  .object({
    token: credential(),
    /** No effect: a custom bot writes to the chat it was added to. Accepted so that older configurations load. */
    channel_id: text(),
    webhook_url: secretUrl().default(''),
    secret: secret(),
    api_url: apiUrl('https://open.larksuite.com'),
  })
  .transform((raw) => ({
    url: raw.webhook_url || `${raw.api_url}/open-apis/bot/v2/hook/${raw.token}`,
    token: raw.token,
    secret: raw.secret,
  }))

const COLOR = { firing: 'red', resolved: 'green' }

/** Lark or Feishu: the hook of a custom bot, with an interactive card. */
export const workchat: ChannelKind<z.output<typeof options>> = {
  name: 'workchat',
  options,
  /** The provider allows 20 KB of JSON; 2 KB are for the frame of the card and its title. */
  text: { escaping: 'markdown', limit: { max: 18_000, unit: 'json-bytes' } },
  defaults: { concurrency: 4, rate: { perSecond: 1.6, burst: 5 } },
  create({ url, token, secret }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token, secret, ...secretsOfUrl(url)], now }
    return {
      destination: () => 'default',
      async send(message, signal, onConnected) {
        if (message.target !== undefined) return unknownTarget(message.target)
        const json = { ...signature(secret, now()), ...cardOf(message) }
        return postJson(client, { url, json, signal, onConnected }, read)
      },
      async close() {},
    }
  },
}

function cardOf({ title, status, text }: Message) {
  const header = { title: { tag: 'plain_text', content: title }, template: COLOR[status] }
  return { msg_type: 'interactive', card: { header, elements: [{ tag: 'markdown', content: text }] } }
}

/** Signs by the provider's scheme: time and secret are the key, and the signed text is empty. */
function signature(secret: string, now: number): { timestamp?: string; sign?: string } {
  if (secret === '') return {}
  const timestamp = String(Math.floor(now / 1_000))
  return { timestamp, sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64') }
}

/** Errors that stay however often one tries: bad token, bad signature, address not allowed, keyword missing. */
const FINAL = new Set([19001, 19021, 19022, 19024])
/** A bad request, or too many requests: only the text of the answer tells them apart. */
const BAD_REQUEST = 9499

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  const words = [body?.msg, body?.StatusMessage].find((each) => typeof each === 'string')
  if (!accepted(answer)) return outcomeOfStatus(answer, context, words)
  const code = body?.code ?? body?.StatusCode
  if (typeof code !== 'number') return unreadable(answer, context)
  if (code === 0) return { kind: 'sent' }
  const reason = scrub(`code ${code}: ${words ?? ''}`, context.secrets)
  const refused = FINAL.has(code) || (code === BAD_REQUEST && !/too many|frequen|limit|rate/i.test(words ?? ''))
  return { kind: refused ? 'failed' : 'retry', reason }
}
