import type { DeliveryPage, ReplayAnswer } from '../../../src/api/delivery.ts'
import type { Done, IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { Preview } from '../../../src/api/templates.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRequest, AdminRoute } from '../../../src/http/contract.ts'
import { channelOf, deliveryFilter, incidentFilter, objectOf, replayFilter } from './parameters.ts'
import { type RouteDeps, route } from './route.ts'

type AdminDeps = Pick<RouteDeps, 'askStorage' | 'askJournal' | 'askSenders' | 'recognise' | 'channels' | 'now'>

/** Storage applies fewer incidents than these at once. */
const MANY = 256
const PREVIEW_ID = '00000000-0000-7000-8000-000000000000'

/** Incidents, deliveries, replay, resend and preview. */
export function adminRoutes(deps: AdminDeps): AdminRoute[] {
  const { askStorage } = deps
  return [
    route<IncidentPage>('GET', '/api/admin/incidents', ({ query }) =>
      askStorage({ kind: 'incidents', filter: incidentFilter(query) }),
    ),
    route<IncidentDetail>('GET', '/api/admin/incidents/:id', ({ params }) => detailOf(deps, params.id ?? '')),
    route<Done>('POST', '/api/admin/incidents/:id/resend', async ({ params }) => {
      if (await askStorage({ kind: 'resend', id: params.id ?? '' })) return { ok: true }
      throw new CodedError('not_found', 'no incident has this id')
    }),
    route<DeliveryPage>('GET', '/api/admin/deliveries', ({ query }) =>
      askStorage({ kind: 'deliveries', filter: deliveryFilter(query) }),
    ),
    route<ReplayAnswer>('POST', '/api/admin/deliveries/replay', async ({ body }) => ({
      replayed: await askStorage({ kind: 'replay', filter: replayFilter(body) }),
    })),
    route<Preview>('POST', '/api/admin/render', (request) => preview(deps, request)),
  ]
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
async function preview(deps: AdminDeps, { body }: AdminRequest): Promise<Preview> {
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
  return deps.askSenders({ kind: 'preview', channel, item, ...(template !== undefined && { template }) })
}

function textOf(value: unknown, what: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new CodedError('bad_parameter', `${what} must be text`)
}
