import type { AnswerButton } from '../../domain/answer.ts'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
import { chatOf, destinationKey, type ProviderClient, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfEdit, outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { type JsonObject, parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import { withoutTags } from '../body/html-to-text.ts'
import type { Adapter } from '../channel.ts'
import type { MsgappOptions } from '../kinds/msgapp.ts'

const TEXT_MAX = 4_096
/** Requests for one attempt: the message as it is, once more as plain text, once more to the chat's new id. */
const MOST_REQUESTS = 3

/** An answer after which the message is sent once more: as plain text, or to another chat. */
type Repeat = { readonly kind: 'plain'; readonly why: string } | { readonly kind: 'moved'; readonly chatId: string }

/** Telegram Bot API, `sendMessage` and `editMessageText`, with HTML text. An edit without buttons removes them. */
export const msgapp: Adapter<MsgappOptions> = {
  create({ token, apiUrl, ...chats }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const urls = { post: `${apiUrl}/bot${token}/sendMessage`, edit: `${apiUrl}/bot${token}/editMessageText` }
    /**
     * New ids of chats that became supergroups, by old id. Empty after a restart; the provider's next answer fills it.
     */
    const moved = new Map<string, string>()

    async function request(message: Message, { messageId, signal, onConnected }: RequestOptions): Promise<Outcome> {
      const configured = chatOf(message.target, chats)
      if (configured === undefined) return unknownTarget(message.target ?? '')
      const url = messageId === undefined ? urls.post : urls.edit
      const last = messageId === undefined ? read : readEdit
      let plain: string | undefined
      for (let nth = 1; ; nth++) {
        const chatId = moved.get(configured) ?? configured
        const json = { chat_id: chatId, ...contentOf(message, plain !== undefined), ...placeOf(message, messageId) }
        const answer = await postJson(
          client,
          { url, json, signal, onConnected },
          (answer, context) => (nth < MOST_REQUESTS ? repeatOf(answer, context) : undefined) ?? last(answer, context),
        )
        if (answer.kind === 'plain') plain = answer.why
        else if (answer.kind === 'moved') moved.set(configured, answer.chatId)
        else return withNote(answer, [plain, movedNote(configured, chatId)])
      }
    }

    return {
      destination: ({ target }) => destinationKey(target, chats.others),
      send: (message, signal, onConnected) => request(message, { signal, onConnected }),
      edit: async (message, messageId, signal, onConnected) =>
        outcomeOfEdit(await request(message, { messageId, signal, onConnected }), messageId),
    }
  },
}

interface RequestOptions {
  /** The message to edit; absent: sends a new one. */
  readonly messageId?: string
  readonly signal: AbortSignal
  readonly onConnected: (() => void) | undefined
}

function contentOf({ text, buttons = [] }: Message, plain: boolean) {
  const content = plain ? { text: withoutTags(text).slice(0, TEXT_MAX).toWellFormed() } : { text, parse_mode: 'HTML' }
  return buttons.length === 0 ? content : { ...content, reply_markup: { inline_keyboard: rowsOf(buttons) } }
}

/** Returns rows of two: more would cut their labels on a phone. */
function rowsOf(buttons: readonly AnswerButton[]): object[][] {
  const keys = buttons.map(({ label, token }) => ({ text: label, callback_data: token }))
  return Array.from({ length: Math.ceil(keys.length / 2) }, (_, row) => keys.slice(2 * row, 2 * row + 2))
}

function placeOf({ inReplyTo }: Message, messageId: string | undefined) {
  if (messageId !== undefined) return { message_id: Number(messageId) }
  if (inReplyTo === undefined) return {}
  return { reply_parameters: { message_id: Number(inReplyTo), allow_sending_without_reply: true } }
}

/** Returns how the message is to be sent once more; undefined: the answer is final. */
function repeatOf(answer: PostAnswer, { secrets }: ReadContext): Repeat | undefined {
  const body = parseObject(answer.body)
  if (body === undefined || body.ok === true) return undefined
  const movedTo = parameter(body, 'migrate_to_chat_id')
  if (movedTo !== undefined) return { kind: 'moved', chatId: String(movedTo) }
  const description = wordsOf(body)
  if (errorCode(answer, body) !== 400 || !/can't parse entities/i.test(description)) return undefined
  return { kind: 'plain', why: `sent as plain text: ${scrub(description, secrets)}` }
}

const NOT_MODIFIED = /message is not modified/i
/** Refusals of an edit that a new message gets around. */
const GONE =
  /message to edit not found|message can'?t be edited|message_id_invalid|message identifier is not specified/i

function readEdit(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  const description = body === undefined ? '' : wordsOf(body)
  if (NOT_MODIFIED.test(description)) return { kind: 'sent' }
  if (GONE.test(description)) return { kind: 'gone', reason: scrub(description, context.secrets) }
  return read(answer, context)
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
