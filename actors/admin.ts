import { CHANNEL_NAMES, type ChannelName } from '../src/domain/delivery.ts'
import { CodedError } from '../src/domain/errors.ts'
import type { Payload, Recognized } from '../src/domain/incident.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../src/http/front.ts'
import type { TemplateSource } from '../src/render/template.ts'
import type { IncidentDetail } from '../src/store/records.ts'
import type { PreviewQuery, StorageQuery } from './messages.ts'

export interface AdminTools {
  askStorage(query: StorageQuery): Promise<unknown>
  askRendering(query: PreviewQuery): Promise<unknown>
  recognise(payload: Payload): Recognized
}

const DEFAULT_LIMIT = 50
const PREVIEW_ID = '00000000-0000-7000-8000-000000000000'

/** The operator's questions, each answered by the actor that owns what is asked for. */
export function adminRoutes(tools: AdminTools): AdminRoute[] {
  return [
    { method: 'GET', path: '/api/admin/incidents', answer: ({ query }) => incidents(tools, query) },
    { method: 'GET', path: '/api/admin/incidents/:id', answer: ({ params }) => incident(tools, params.id ?? '') },
    { method: 'POST', path: '/api/admin/render', answer: (request) => preview(tools, request) },
  ]
}

async function incidents({ askStorage }: AdminTools, query: URLSearchParams): Promise<AdminAnswer> {
  return { status: 200, json: await askStorage({ kind: 'incidents', filter: pageOf(query) }) }
}

async function incident(tools: AdminTools, id: string): Promise<AdminAnswer> {
  return { status: 200, json: await detailOf(tools, id) }
}

async function detailOf({ askStorage }: AdminTools, id: string): Promise<IncidentDetail> {
  const found = await askStorage({ kind: 'incident', id })
  if (found === undefined) throw new CodedError('not_found', 'no incident has this id')
  return found as IncidentDetail
}

function pageOf(query: URLSearchParams): { limit: number; cursor?: string } {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new CodedError('bad_parameter', 'limit must be a whole number from 1 to 500')
  }
  const cursor = query.get('cursor')
  return cursor === null ? { limit } : { limit, cursor }
}

/** What a payload, or a stored incident, would look like on a channel, with the channel's template or the one that is sent along. */
async function preview(tools: AdminTools, { body }: AdminRequest): Promise<AdminAnswer> {
  const asked = objectOf(body, 'the body')
  const channel = channelOf(asked.channel)
  const template = templateOf(asked.template)
  const stored = asked.incident_id === undefined ? undefined : await detailOf(tools, String(asked.incident_id))
  const payload = objectOf(stored ? stored.content : asked.payload, 'payload')
  const { sender, title, service, severity, status } = tools.recognise(payload)
  const id = stored?.id ?? PREVIEW_ID
  const source = stored?.source ?? 'webhook'
  const createdAt = stored ? Date.parse(stored.created_at) : Date.now()
  const facts = { id, title, service, severity, status, sender, source, createdAt }
  const item = { content: Buffer.from(JSON.stringify(payload)), facts }
  const json = await tools.askRendering({ kind: 'preview', channel, item, ...(template && { template }) })
  return { status: 200, json }
}

function objectOf(value: unknown, what: string): Payload {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Payload
  throw new CodedError('bad_parameter', `${what} must be a JSON object`)
}

function channelOf(name: unknown): ChannelName {
  const channel = CHANNEL_NAMES.find((known) => known === name)
  if (!channel) throw new CodedError('bad_parameter', `channel must be one of ${CHANNEL_NAMES.join(', ')}`)
  return channel
}

function templateOf(text: unknown): TemplateSource | undefined {
  if (text === undefined) return undefined
  if (typeof text === 'string') return { file: 'template.tmpl', text }
  throw new CodedError('bad_parameter', 'template must be text')
}
