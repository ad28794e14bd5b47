import type { AnswerAction, AnswerButton } from '../../domain/answer.ts'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
import { chatOf, destinationKey, type ProviderClient, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import {
  outcomeOfEdit,
  outcomeOfStatus,
  type PostAnswer,
  type ReadContext,
  retryAfterMs,
} from '../../outbound/response-outcome.ts'
import { type JsonObject, parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import { sections } from '../body/chat-sections.ts'
import type { Adapter } from '../channel.ts'
import type { ChatwsOptions } from '../kinds/chatws.ts'

const SECTION_LIMITS = { section: 3_000, total: 13_000 }
const COLOR = { firing: '#C70039', resolved: '#36A64F' }

/**
 * Slack Web API, `chat.postMessage` and `chat.update`. It answers HTTP 200 to nearly everything: `ok` in the body
 * counts. The id of a message is `<channel id>/<ts>`: an edit needs the id of the channel, and the configuration may
 * have its name.
 */
export const chatws: Adapter<ChatwsOptions> = {
  create({ token, apiUrl, buttonText, ...chats }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const urls = { post: `${apiUrl}/api/chat.postMessage`, edit: `${apiUrl}/api/chat.update` }
    const headers = { authorization: `Bearer ${token}` }
    return {
      destination: ({ target }) => destinationKey(target, chats.others),
      async send(message, signal, onConnected) {
        const channel = chatOf(message.target, chats)
        if (channel === undefined) return unknownTarget(message.target ?? '')
        const json = { channel, ...contentOf(message, buttonText), ...threadOf(message) }
        return postJson(client, { url: urls.post, headers, json, signal, onConnected }, read)
      },
      async edit(message, messageId, signal, onConnected) {
        const configured = chatOf(message.target, chats)
        if (configured === undefined) return unknownTarget(message.target ?? '')
        const { channel = configured, ts } = partsOf(messageId)
        const json = { channel, ts, ...contentOf(message, buttonText) }
        const outcome = await postJson(client, { url: urls.edit, headers, json, signal, onConnected }, readEdit)
        return outcomeOfEdit(outcome, messageId)
      },
    }
  },
}

function contentOf(message: Message, buttonText: string) {
  const { title, status } = message
  return { text: unmention(title), attachments: [{ color: COLOR[status], blocks: blocksOf(message, buttonText) }] }
}

function threadOf({ status, inReplyTo, broadcast }: Message) {
  if (inReplyTo === undefined) return {}
  return { thread_ts: partsOf(inReplyTo).ts, reply_broadcast: broadcast === true || status === 'resolved' }
}

/** Splits the id of a message. Ids that earlier versions stored have no channel. */
function partsOf(messageId: string): { channel?: string; ts: string } {
  const [channel, ts] = messageId.split('/')
  return channel === undefined || ts === undefined ? { ts: messageId } : { channel, ts }
}

function blocksOf(message: Message, buttonText: string): object[] {
  const { text, status, ackUrl, incidentId, buttons } = message
  const blocks: object[] = sections(text, SECTION_LIMITS).map((each) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: each, ...(MENTION.test(each) && { verbatim: true }) },
  }))
  if (buttons !== undefined) return [...blocks, ...answerBlocks(buttons, ackUrl)]
  if (ackUrl === undefined || status === 'resolved') return blocks
  const button = {
    type: 'button',
    text: plain(buttonText),
    url: ackUrl,
    style: 'primary',
    action_id: 'acknowledge',
    value: incidentId,
  }
  return [...blocks, { type: 'actions', elements: [button] }]
}

/** Id of the block of buttons. Ids of their actions begin with it, by which a receiver knows them. */
const ANSWER_BLOCK = 'tocsin'

/** Returns the buttons, and below them a link for hours in which presses do not come back. */
function answerBlocks(buttons: readonly AnswerButton[], url: string | undefined): object[] {
  const elements = buttons.map(({ action, label, token }) => ({
    type: 'button',
    text: plain(label),
    action_id: `${ANSWER_BLOCK}.${token.slice(1, token.indexOf('.'))}`,
    value: token,
    ...(action === 'acknowledge' && { style: 'primary' }),
    ...(CONFIRMED[action] !== undefined && { confirm: confirmation(label, CONFIRMED[action]) }),
  }))
  const link = { type: 'mrkdwn', text: `<${url}|Answer in the browser>` }
  return [
    ...(elements.length === 0 ? [] : [{ type: 'actions', block_id: ANSWER_BLOCK, elements }]),
    ...(elements.length === 0 || url === undefined ? [] : [{ type: 'context', elements: [link] }]),
  ]
}

/** Questions that Slack asks before it sends a press. */
const CONFIRMED: { readonly [action in AnswerAction]?: string } = {
  resolve: 'The problem counts as resolved for everybody.',
  acknowledge_all: 'All firing problems of this digest are acknowledged.',
}

const plain = (text: string) => ({ type: 'plain_text', text })
const confirmation = (label: string, text: string) => ({
  title: plain(label),
  text: plain(text),
  confirm: plain(label),
  deny: plain('Cancel'),
})

/**
 * Matches what Slack would turn into a mention without any markup; a mail address does not match. Only a section that
 * matches is sent with `verbatim`: Slack then still follows markup, such as the template's own mentions, but turns no
 * bare address into a link.
 */
const MENTION = /(?<![\w<])@\w/

/** Escapes the title, so that a payload cannot mention people. The text was escaped when it was rendered. */
function unmention(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Errors that stay however often one tries. All others are tried again. */
const FINAL = new Set([
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'missing_scope',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'restricted_action',
  'msg_too_long',
  'no_text',
  'invalid_arguments',
  'invalid_blocks',
  'msg_blocks_too_long',
])

/** Errors of an edit that a new message gets around. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found'])

function readEdit(answer: PostAnswer, context: ReadContext): Outcome {
  const error = parseObject(answer.body)?.error
  return typeof error === 'string' && GONE.has(error) ? { kind: 'gone', reason: error } : read(answer, context)
}

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  const error = typeof body?.error === 'string' ? body.error : undefined
  if (!accepted(answer)) return outcomeOfStatus(answer, context, error)
  if (body?.ok === true) return { kind: 'sent', ...idOf(body) }
  if (error === undefined) return unreadable(answer, context)
  const reason = scrub(error, context.secrets)
  if (FINAL.has(error)) return { kind: 'failed', reason }
  const afterMs = retryAfterMs(answer.headers['retry-after'], context.now)
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs }
}

function idOf({ channel, ts }: JsonObject): { messageId?: string } {
  if (typeof ts !== 'string') return {}
  return { messageId: typeof channel === 'string' ? `${channel}/${ts}` : ts }
}
