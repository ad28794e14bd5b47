import { z } from 'zod'
import type { Outcome } from '../../domain/delivery.ts'
import type { Message } from '../../domain/message.ts'
import { accepted, jsonObject, unreadable } from '../../outbound/answer.ts'
import { outcomeOfStatus, type ReadContext } from '../../outbound/outcome.ts'
import {
  destinationKey,
  destinationOf,
  type PostAnswer,
  type ProviderClient,
  postJson,
  unknownTarget,
} from '../../outbound/provider-client.ts'
import { scrub } from '../../text/scrub.ts'
import type { Channel, ChannelKind } from '../channel.ts'
import { apiUrl, credential, others, text } from '../options.ts'
import { withoutTags } from './html.ts'

const options = z
  .object({
    token: credential(),
    channel_id: text(),
    api_url: apiUrl('https://api.telegram.org'),
    other_channel_ids: others(z.string().trim().min(1)),
  })
  .transform((raw) => ({
    token: raw.token,
    channelId: raw.channel_id,
    apiUrl: raw.api_url,
    others: raw.other_channel_ids,
  }))

const TEXT_MAX = 4_096
/** The message as it is, once as plain text, once to the chat's new id. */
const MOST_REQUESTS = 3

/** What an answer asks for besides an outcome: the same message once more, otherwise. */
type Repeat = { readonly kind: 'plain'; readonly why: string } | { readonly kind: 'moved'; readonly chatId: string }

/** Messaging app: the Bot API's `sendMessage`, with HTML text. */
export const msgapp: ChannelKind<z.output<typeof options>> = {
  name: 'msgapp',
  options,
  threads: true,
  text: { escaping: 'html', limit: { max: TEXT_MAX, unit: 'visible' } },
  defaults: { concurrency: 4, rate: { perSecond: 0.33, burst: 5 } },
  create({ token, channelId, apiUrl, others }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const url = `${apiUrl}/bot${token}/sendMessage`
    /** Chats that became supergroups, by their old id; forgotten at a restart, found again by the first message. */
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

/** Of an answer after which another request may do better. */
function readFirst(answer: PostAnswer, context: ReadContext): Outcome | Repeat {
  const body = jsonObject(answer.body)
  if (body === undefined || body.ok === true) return read(answer, context)
  const movedTo = parameter(body, 'migrate_to_chat_id')
  if (movedTo !== undefined) return { kind: 'moved', chatId: String(movedTo) }
  const said = wordsOf(body)
  if (errorCode(answer, body) !== 400 || !/can't parse entities/i.test(said)) return read(answer, context)
  return { kind: 'plain', why: `sent as plain text: ${scrub(said, context.secrets)}` }
}

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = jsonObject(answer.body)
  if (body === undefined) return accepted(answer) ? unreadable(answer, context) : outcomeOfStatus(answer, context)
  if (body.ok === true && accepted(answer)) return { kind: 'sent', ...idOf(body.result) }
  const status = errorCode(answer, body)
  if (status < 300) return unreadable(answer, context)
  const seconds = parameter(body, 'retry_after')
  const headers = seconds === undefined ? answer.headers : { 'retry-after': String(seconds) }
  return outcomeOfStatus({ ...answer, status, headers }, context, wordsOf(body))
}

type Body = NonNullable<ReturnType<typeof jsonObject>>

/** The body's own code counts where a gateway in between says 200. */
function errorCode(answer: PostAnswer, { error_code }: Body): number {
  return typeof error_code === 'number' && accepted(answer) ? error_code : answer.status
}
function wordsOf({ description }: Body): string {
  return typeof description === 'string' ? description : ''
}

function parameter({ parameters }: Body, name: 'migrate_to_chat_id' | 'retry_after'): number | string | undefined {
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
