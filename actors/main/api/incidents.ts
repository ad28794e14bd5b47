import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload, Recognized } from '../../../src/domain/incident.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../src/http/contract.ts'
import type { IncidentDetail } from '../../../src/store/incidents/records.ts'
import type { PreviewQuery } from '../../messages/send-queries.ts'
import type { StorageQuery } from '../../messages/storage-queries.ts'
import { channelOf, deliveryFilter, incidentFilter, objectOf, replayFilter } from './parameters.ts'

export interface AdminTools {
  askStorage(query: StorageQuery): Promise<unknown>
  askRendering(query: PreviewQuery): Promise<unknown>
  recognise(payload: Payload): Recognized
}

const PREVIEW_ID = '00000000-0000-7000-8000-000000000000'

/** The operator's questions, each answered by the actor that owns what is asked for. */
export function adminRoutes(tools: AdminTools): AdminRoute[] {
  return [
    { method: 'GET', path: '/api/admin/incidents', answer: ({ query }) => incidents(tools, query) },
    { method: 'GET', path: '/api/admin/incidents/:id', answer: ({ params }) => incident(tools, params.id ?? '') },
    { method: 'POST', path: '/api/admin/incidents/:id/resend', answer: ({ params }) => resend(tools, params.id ?? '') },
    { method: 'GET', path: '/api/admin/deliveries', answer: ({ query }) => deliveries(tools, query) },
    { method: 'POST', path: '/api/admin/deliveries/replay', answer: ({ body }) => replay(tools, body) },
    { method: 'POST', path: '/api/admin/render', answer: (request) => preview(tools, request) },
  ]
}

async function incidents({ askStorage }: AdminTools, query: URLSearchParams): Promise<AdminAnswer> {
  return { status: 200, json: await askStorage({ kind: 'incidents', filter: incidentFilter(query) }) }
}

async function deliveries({ askStorage }: AdminTools, query: URLSearchParams): Promise<AdminAnswer> {
  return { status: 200, json: await askStorage({ kind: 'deliveries', filter: deliveryFilter(query) }) }
}

async function replay({ askStorage }: AdminTools, body: unknown): Promise<AdminAnswer> {
  return { status: 200, json: { replayed: await askStorage({ kind: 'replay', filter: replayFilter(body) }) } }
}

async function resend({ askStorage }: AdminTools, id: string): Promise<AdminAnswer> {
  if (await askStorage({ kind: 'resend', id })) return { status: 200, json: { ok: true } }
  throw new CodedError('not_found', 'no incident has this id')
}

async function incident(tools: AdminTools, id: string): Promise<AdminAnswer> {
  return { status: 200, json: await detailOf(tools, id) }
}

async function detailOf({ askStorage }: AdminTools, id: string): Promise<IncidentDetail> {
  const found = await askStorage({ kind: 'incident', id })
  if (found === undefined) throw new CodedError('not_found', 'no incident has this id')
  return found as IncidentDetail
}

/** What a payload, or a stored incident, would look like on a channel, with the channel's template or the one that is sent along. */
async function preview(tools: AdminTools, { body }: AdminRequest): Promise<AdminAnswer> {
  const asked = objectOf(body, 'the body')
  const channel = channelOf(asked.channel)
  const template = textOf(asked.template, 'template')
  const incidentId = textOf(asked.incident_id, 'incident_id')
  const stored = incidentId === undefined ? undefined : await detailOf(tools, incidentId)
  const payload = objectOf(stored ? stored.content : asked.payload, 'payload')
  const { sender, title, service, severity, status } = tools.recognise(payload)
  const id = stored?.id ?? PREVIEW_ID
  const source = stored?.source ?? 'webhook'
  const createdAt = stored ? Date.parse(stored.created_at) : Date.now()
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  const item = { content: Buffer.from(JSON.stringify(payload)), facts }
  const json = await tools.askRendering({ kind: 'preview', channel, item, ...(template !== undefined && { template }) })
  return { status: 200, json }
}

function textOf(value: unknown, what: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new CodedError('bad_parameter', `${what} must be text`)
}
