import type { Outcome } from '../../domain/delivery.ts'
import type { Message } from '../../domain/message.ts'
import { severityRank } from '../../domain/severity.ts'
import { destinationKey, destinationOf, postJson, unknownTarget } from '../../outbound/provider-client.ts'
import { accepted, unreadable } from '../../outbound/response-body.ts'
import { outcomeOfStatus, type PostAnswer, type ReadContext } from '../../outbound/response-outcome.ts'
import { parseObject } from '../../text/json-object.ts'
import type { Adapter } from '../channel.ts'
import type { NtfyOptions } from '../kinds/ntfy.ts'

/** ntfy: pushes to the phones that follow a topic. */
export const ntfy: Adapter<NtfyOptions> = {
  create({ serverUrl: url, topic: own, others, token }, { post, now, publicHost }) {
    const client = { post, secrets: [token, own, ...others.values()], now }
    const headers: { [name: string]: string } = token === '' ? {} : { authorization: `Bearer ${token}` }
    return {
      destination: ({ target }) => destinationKey(target, others),
      async send(message, signal, onConnected) {
        const topic = destinationOf(message.target, own, others)
        if (topic === undefined) return unknownTarget(message.target ?? '')
        const json = { topic, ...contentOf(message, publicHost) }
        return postJson(client, { url, headers, json, signal, onConnected }, read)
      },
    }
  },
}

/** Digests and notices have other ids. */
const INCIDENT = /^[0-9a-f-]{36}$/
/** Priority of what needs nobody now: it makes no sound. */
const SILENT = 2

function contentOf({ incidentId, title, subject, text, status, severity }: Message, publicHost: string) {
  return {
    title: subject || title,
    // The server shows "triggered" for an empty text.
    message: text.trim() === '' ? title : text,
    priority: status === 'resolved' ? SILENT : 5 - severityRank(severity),
    ...(publicHost !== '' && { click: publicHost + (INCIDENT.test(incidentId) ? `/#/incidents/${incidentId}` : '/') }),
  }
}

/** Too many messages today; other limits of the server pass within a minute. */
const QUOTA_OF_THE_DAY = 42908

function read(answer: PostAnswer, context: ReadContext): Outcome {
  const body = parseObject(answer.body)
  if (accepted(answer)) return typeof body?.id === 'string' ? { kind: 'sent' } : unreadable(answer, context)
  const words = typeof body?.error === 'string' ? body.error : undefined
  const seconds = body?.code === QUOTA_OF_THE_DAY ? '3600' : '60'
  const headers = answer.status === 429 ? { 'retry-after': seconds, ...answer.headers } : answer.headers
  return outcomeOfStatus({ ...answer, headers }, context, words)
}
