import { createHmac } from 'node:crypto'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
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
import { scrub, secretsOfUrl } from '../../text/scrub.ts'
import type { Adapter } from '../channel.ts'
import type { WorkchatOptions } from '../kinds/workchat.ts'

const COLOR = { firing: 'red', resolved: 'green' }

/** Lark or Feishu: the hook of a custom bot, with an interactive card. */
export const workchat: Adapter<WorkchatOptions> = {
  create({ url: own, others, token, secret }, { post, now }) {
    const secretsOfUrls = [own, ...others.values()].flatMap(secretsOfUrl)
    const client: ProviderClient = { post, secrets: [token, secret, ...secretsOfUrls], now }
    return {
      destination: ({ target }) => destinationKey(target, others),
      async send(message, signal, onConnected) {
        const url = destinationOf(message.target, own, others)
        if (url === undefined) return unknownTarget(message.target ?? '')
        const json = { ...signature(secret, now()), ...cardOf(message) }
        return postJson(client, { url, json, signal, onConnected }, read)
      },
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
