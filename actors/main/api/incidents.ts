import type { DeliveryPage, ReplayAnswer } from '../../../src/api/delivery.ts'
import type { Done, IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { Preview } from '../../../src/api/templates.ts'
import type { ChannelName } from '../../../src/domain/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload, Recognized } from '../../../src/domain/incident.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../src/http/contract.ts'
import type { JournalQueries } from '../../messages/journal-queries.ts'
import type { Ask } from '../../messages/query.ts'
import type { SendQueries } from '../../messages/send-queries.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import { channelOf, deliveryFilter, incidentFilter, objectOf, replayFilter } from './parameters.ts'

interface AdminDeps {
  readonly askStorage: Ask<StorageQueries>
  readonly askJournal: Ask<JournalQueries>
  readonly askSenders: Ask<SendQueries>
  recognise(payload: Payload): Recognized
  /** Epoch milliseconds. */
  now(): number
  /** The enabled channels. */
  channels(): readonly { readonly name: ChannelName }[]
}

/** Storage applies fewer incidents than these at once. */
const MANY = 256
const PREVIEW_ID = '00000000-0000-7000-8000-000000000000'

/** Incidents, deliveries, replay, resend and preview. */
export function adminRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    { method: 'GET', path: '/api/admin/incidents', answer: ({ query }) => incidents(deps, query) },
    { method: 'GET', path: '/api/admin/incidents/:id', answer: ({ params }) => incident(deps, params.id ?? '') },
    { method: 'POST', path: '/api/admin/incidents/:id/resend', answer: ({ params }) => resend(deps, params.id ?? '') },
    { method: 'GET', path: '/api/admin/deliveries', answer: ({ query }) => deliveries(deps, query) },
    { method: 'POST', path: '/api/admin/deliveries/replay', answer: ({ body }) => replay(deps, body) },
    { method: 'POST', path: '/api/admin/render', answer: (request) => preview(deps, request) },
  ]
}

async function incidents({ askStorage }: AdminDeps, query: URLSearchParams): Promise<AdminAnswer<IncidentPage>> {
  return { status: 200, json: await askStorage({ kind: 'incidents', filter: incidentFilter(query) }) }
}

async function deliveries({ askStorage }: AdminDeps, query: URLSearchParams): Promise<AdminAnswer<DeliveryPage>> {
  return { status: 200, json: await askStorage({ kind: 'deliveries', filter: deliveryFilter(query) }) }
}

async function replay({ askStorage }: AdminDeps, body: unknown): Promise<AdminAnswer<ReplayAnswer>> {
  return { status: 200, json: { replayed: await askStorage({ kind: 'replay', filter: replayFilter(body) }) } }
}

async function resend({ askStorage }: AdminDeps, id: string): Promise<AdminAnswer<Done>> {
  if (await askStorage({ kind: 'resend', id })) return { status: 200, json: { ok: true } }
  throw new CodedError('not_found', 'no incident has this id')
}

async function incident(deps: AdminDeps, id: string): Promise<AdminAnswer<IncidentDetail>> {
  return { status: 200, json: await detailOf(deps, id) }
}

/**
 * Asks the journal first: it knows at once whether many incidents are to be applied before this one, while storage is
 * busy applying them. Asks storage a last time, because the incident may be applied between the other questions.
 */
async function detailOf({ askStorage, askJournal, channels }: AdminDeps, id: string): Promise<IncidentDetail> {
  const names = channels().map(({ name }) => name)
  const found =
    (await askJournal({ kind: 'incident', id, channels: names, behind: MANY }).catch(() => undefined)) ??
    (await askStorage({ kind: 'incident', id })) ??
    (await askJournal({ kind: 'incident', id, channels: names, behind: 0 })) ??
    (await askStorage({ kind: 'incident', id }))
  if (found === undefined) throw new CodedError('not_found', 'no incident has this id')
  return found
}

/**
 * Renders a payload or a stored incident for a channel, with the channel's template or the one in the request. Rejects
 * with bad_parameter, not_found, template_invalid.
 */
async function preview(deps: AdminDeps, { body }: AdminRequest): Promise<AdminAnswer<Preview>> {
  const asked = objectOf(body, 'the body')
  const channel = channelOf(asked.channel)
  const template = textOf(asked.template, 'template')
  const incidentId = textOf(asked.incident_id, 'incident_id')
  const stored = incidentId === undefined ? undefined : await detailOf(deps, incidentId)
  const payload = objectOf(stored ? stored.content : asked.payload, 'payload')
  const { sender, title, service, severity, status } = deps.recognise(payload)
  const id = stored?.id ?? PREVIEW_ID
  const source = stored?.source ?? 'webhook'
  const createdAt = stored ? Date.parse(stored.created_at) : deps.now()
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  const item = { content: Buffer.from(JSON.stringify(payload)), facts }
  const json = await deps.askSenders({ kind: 'preview', channel, item, ...(template !== undefined && { template }) })
  return { status: 200, json }
}

function textOf(value: unknown, what: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new CodedError('bad_parameter', `${what} must be text`)
}
