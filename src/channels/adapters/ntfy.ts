import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { Message } from '../../domain/delivery/message.ts'
import { severityRank } from '../../domain/severity.ts'
import { destinationKey, destinationOf, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfEdit, outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { type JsonObject, parseObject } from '../../text/json-object.ts'
import type { Adapter } from '../channel.ts'
import type { NtfyOptions } from '../kinds/ntfy.ts'

/**
 * ntfy: pushes to the phones that follow a topic. Where people answer, a message has buttons and a sequence id: a later
 * message with that id takes its place on the phone. The answer of a server before 2.16 does not repeat the id; its
 * messages cannot be edited.
 */
export const ntfy: Adapter<NtfyOptions> = {
  create({ serverUrl: url, topic: own, others, token, answers }, { post, now, publicHost }) {
    const client = { post, secrets: [token, own, ...others.values()], now }
    const headers: { [name: string]: string } = token === '' ? {} : { authorization: `Bearer ${token}` }

    async function publish(
      { target, buttons = [] }: Message,
      content: object,
      [signal, onConnected]: Around,
    ): Promise<Outcome> {
      const topic = destinationOf(target, own, others)
      if (topic === undefined) return unknownTarget(target ?? '')
      const secrets = [...client.secrets, ...buttons.map((button) => button.token)]
      return postJson({ ...client, secrets }, { url, headers, json: { topic, ...content }, signal, onConnected }, read)
    }

    const destination = ({ target }: Message) => destinationKey(target, others)
    if (answers.mode === 'off')
      return { destination, send: (message, ...around) => publish(message, contentOf(message, publicHost), around) }
    return {
      destination,
      send: (message, ...around) => publish(message, answerable(message, { publicHost }), around),
      async edit(message, messageId, ...around) {
        const content = answerable(message, { publicHost, edits: messageId })
        const outcome = await publish(message, content, around)
        const isNew = outcome.kind === 'sent' && outcome.messageId !== messageId
        return isNew ? NO_EDITS : outcomeOfEdit(outcome, messageId)
      },
    }
  },
}

const NO_EDITS: Outcome = { kind: 'gone', reason: 'the server does not repeat the sequence id: it is older than 2.16' }

type Around = readonly [signal: AbortSignal, onConnected?: (() => void) | undefined]

/** Digests and notices have other ids. */
const INCIDENT = /^[0-9a-f-]{36}$/
/** Priority of what needs nobody now: it makes no sound. */
const SILENT = 2

function contentOf({ incidentId, title, subject, text, status, severity, ackUrl }: Message, publicHost: string) {
  const path = INCIDENT.test(incidentId) ? `/#/incidents/${incidentId}` : '/'
  return {
    title: subject || title,
    // The server shows "triggered" for an empty text.
    message: text.trim() === '' ? title : text,
    priority: status === 'resolved' ? SILENT : 5 - severityRank(severity),
    // A tap on a message to a person opens the page on which that person answers.
    ...(publicHost !== '' && { click: INCIDENT.test(incidentId) ? publicHost + path : (ackUrl ?? publicHost + path) }),
  }
}

/** ntfy takes no more of them. */
const MAX_BUTTONS = 3
/** Bytes that push services take for a message, less the topic. */
const MAX_BYTES = 4_000

interface Given {
  readonly publicHost: string
  /** Sequence id of the message that this one replaces; absent: it is a new one. */
  readonly edits?: string
}

/** Returns a message with its buttons, the first ones, as many as have room. */
function answerable(message: Message, { publicHost, edits }: Given): object {
  const content = {
    ...contentOf(message, publicHost),
    ...(INCIDENT.test(message.incidentId) && { sequence_id: sequenceOf(message.incidentId) }),
    ...(edits !== undefined && { sequence_id: edits, priority: SILENT }),
  }
  const actions = (message.buttons ?? []).slice(0, MAX_BUTTONS).map(({ label, token: body }) => ({
    ...{ action: 'http', label, url: `${publicHost}/api/answer`, method: 'POST', body, clear: true },
  }))
  while (actions.length > 0 && Buffer.byteLength(JSON.stringify({ ...content, actions })) > MAX_BYTES) actions.pop()
  return actions.length === 0 ? content : { ...content, actions }
}

const sequenceOf = (id: string) => `t${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`

function sentAs({ sequence_id: messageId }: JsonObject): Outcome {
  return { kind: 'sent', ...(typeof messageId === 'string' && { messageId }) }
}

/** Too many messages today; other limits of the server pass within a minute. */
const QUOTA_OF_THE_DAY = 42908

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  if (accepted(answer)) return typeof body?.id === 'string' ? sentAs(body) : unreadable(answer, context)
  const words = typeof body?.error === 'string' ? body.error : undefined
  const seconds = body?.code === QUOTA_OF_THE_DAY ? '3600' : '60'
  const headers = answer.status === 429 ? { 'retry-after': seconds, ...answer.headers } : answer.headers
  return outcomeOfStatus({ ...answer, headers }, context, words)
}
