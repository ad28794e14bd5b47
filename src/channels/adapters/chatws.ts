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
import { outcomeOfStatus, type PostAnswer, type ReadContext, retryAfterMs } from '../../outbound/response-outcome.ts'
import { parseObject } from '../../text/json-object.ts'
import { scrub } from '../../text/scrub.ts'
import { sections } from '../body/chat-sections.ts'
import type { Adapter } from '../channel.ts'
import type { ChatwsOptions } from '../kinds/chatws.ts'

const SECTION_LIMITS = { section: 3_000, total: 13_000 }
const COLOR = { firing: '#C70039', resolved: '#36A64F' }

/** Slack Web API, `chat.postMessage`. It answers HTTP 200 to nearly everything: `ok` in the body counts. */
export const chatws: Adapter<ChatwsOptions> = {
  create({ token, channelId, apiUrl, others, buttonText }, { post, now }) {
    const client: ProviderClient = { post, secrets: [token], now }
    const url = `${apiUrl}/api/chat.postMessage`
    const headers = { authorization: `Bearer ${token}` }
    return {
      destination: ({ target }) => destinationKey(target, others),
      async send(message, signal, onConnected) {
        const channel = destinationOf(message.target, channelId, others)
        if (channel === undefined) return unknownTarget(message.target ?? '')
        return postJson(client, { url, headers, json: bodyOf(message, channel, buttonText), signal, onConnected }, read)
      },
      async close() {},
    }
  },
}

function bodyOf(message: Message, channel: string, buttonText: string) {
  const { title, status, inReplyTo } = message
  return {
    channel,
    text: unmention(title),
    attachments: [{ color: COLOR[status], blocks: blocksOf(message, buttonText) }],
    ...(inReplyTo === undefined ? {} : { thread_ts: inReplyTo, reply_broadcast: status === 'resolved' }),
  }
}

function blocksOf({ text, status, ackUrl, incidentId }: Message, buttonText: string): object[] {
  const blocks: object[] = sections(text, SECTION_LIMITS).map((each) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: each, ...(MENTION.test(each) && { verbatim: true }) },
  }))
  if (ackUrl === undefined || status === 'resolved') return blocks
  const label = { type: 'plain_text', text: buttonText }
  const button = {
    type: 'button',
    text: label,
    url: ackUrl,
    style: 'primary',
    action_id: 'acknowledge',
    value: incidentId,
  }
  return [...blocks, { type: 'actions', elements: [button] }]
}

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

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  const error = typeof body?.error === 'string' ? body.error : undefined
  if (!accepted(answer)) return outcomeOfStatus(answer, context, error)
  if (body?.ok === true) return typeof body.ts === 'string' ? { kind: 'sent', messageId: body.ts } : { kind: 'sent' }
  if (error === undefined) return unreadable(answer, context)
  const reason = scrub(error, context.secrets)
  if (FINAL.has(error)) return { kind: 'failed', reason }
  const afterMs = retryAfterMs(answer.headers['retry-after'], context.now)
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs }
}
