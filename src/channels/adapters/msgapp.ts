import type { Outcome } from '../../domain/delivery.ts'
import type { Message } from '../../domain/message.ts'
import {
  destinationKey,
  destinationOf,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { type JsonObject, parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import { withoutTags } from '../body/html-to-text.ts'
import type { Adapter, Channel } from '../channel.ts'
import type { MsgappOptions } from '../kinds/msgapp.ts'

const TEXT_MAX = 4_096
/** Requests for one attempt: the message as it is, once more as plain text, once more to the chat's new id. */
const MOST_REQUESTS = 3

/** An answer after which the message is sent once more: as plain text, or to another chat. */
type Repeat = { readonly kind: 'plain'; readonly why: string } | { readonly kind: 'moved'; readonly chatId: string }

/** Telegram Bot API, `sendMessage`, with HTML text. */
export const msgapp: Adapter<MsgappOptions> = {
  create({ token, channelId, apiUrl, others }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const url = `${apiUrl}/bot${token}/sendMessage`
    /**
     * New ids of chats that became supergroups, by old id. Empty after a restart; the provider's next answer fills it.
     */
    const moved = new Map<string, string>()

    const send: Channel['send'] = async (message, signal, onConnected) => {
      const configured = destinationOf(message.target, channelId, others)
      if (configured === undefined) return unknownTarget(message.target ?? '')
      let plain: string | undefined
      for (let request = 1; ; request++) {
        const chatId = moved.get(configured) ?? configured
        const json = bodyOf(message, { chatId, plain: plain !== undefined })
        const answer = await postJson(
          client,
          { url, json, signal, onConnected },
          request < MOST_REQUESTS ? readFirst : read,
        )
        if (answer.kind === 'plain') plain = answer.why
        else if (answer.kind === 'moved') moved.set(configured, answer.chatId)
        else return withNote(answer, [plain, movedNote(configured, chatId)])
      }
    }

    return { destination: ({ target }) => destinationKey(target, others), send, async close() {} }
  },
}

function bodyOf({ text, inReplyTo }: Message, { chatId, plain }: { chatId: string; plain: boolean }) {
  const content = plain ? { text: withoutTags(text).slice(0, TEXT_MAX).toWellFormed() } : { text, parse_mode: 'HTML' }
  if (inReplyTo === undefined) return { chat_id: chatId, ...content }
  const reply_parameters = { message_id: Number(inReplyTo), allow_sending_without_reply: true }
  return { chat_id: chatId, ...content, reply_parameters }
}

/** Reads an answer while requests are left: it may ask for the message once more. */
function readFirst(answer: PostAnswer, context: ReadContext): Outcome | Repeat {
  const body = parseObject(answer.body)
  if (body === undefined || body.ok === true) return read(answer, context)
  const movedTo = parameter(body, 'migrate_to_chat_id')
  if (movedTo !== undefined) return { kind: 'moved', chatId: String(movedTo) }
  const description = wordsOf(body)
  if (errorCode(answer, body) !== 400 || !/can't parse entities/i.test(description)) return read(answer, context)
  return { kind: 'plain', why: `sent as plain text: ${scrub(description, context.secrets)}` }
}

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  if (body === undefined) return accepted(answer) ? unreadable(answer, context) : outcomeOfStatus(answer, context)
  if (body.ok === true && accepted(answer)) return { kind: 'sent', ...idOf(body.result) }
  const status = errorCode(answer, body)
  if (status < 300) return unreadable(answer, context)
  const seconds = parameter(body, 'retry_after')
  const headers = seconds === undefined ? answer.headers : { 'retry-after': String(seconds) }
  return outcomeOfStatus({ ...answer, status, headers }, context, wordsOf(body))
}

/** Returns the body's `error_code` when the HTTP status is 2xx: a gateway in between may answer 200. */
function errorCode(answer: PostAnswer, { error_code }: JsonObject): number {
  return typeof error_code === 'number' && accepted(answer) ? error_code : answer.status
}
function wordsOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : ''
}

function parameter(
  { parameters }: JsonObject,
  name: 'migrate_to_chat_id' | 'retry_after',
): number | string | undefined {
  if (typeof parameters !== 'object' || parameters === null) return undefined
  const value: unknown = Object.entries(parameters).find(([key]) => key === name)?.[1]
  return typeof value === 'number' || typeof value === 'string' ? value : undefined
}

function idOf(result: unknown): { messageId?: string } {
  const has = typeof result === 'object' && result !== null && 'message_id' in result
  return has && typeof result.message_id === 'number' ? { messageId: String(result.message_id) } : {}
}

function movedNote(from: string, to: string): string | undefined {
  return from === to ? undefined : `the chat ${from} moved to ${to}: change it in the configuration`
}

function withNote(outcome: Outcome, notes: readonly (string | undefined)[]): Outcome {
  const note = notes.filter((each) => each !== undefined).join('; ')
  return outcome.kind === 'sent' && note !== '' ? { ...outcome, note } : outcome
}
