import type { IncidentPage } from '../../../src/api/incident.ts'
import { get } from '../../api/client.ts'
import type { TailEvent } from './events.ts'

/**
 * Returns stored incidents as events, oldest first: the latest of those older than `events`, as many as fill `events`
 * up to `count`. Empty when the service does not answer.
 */
export async function storedBefore(events: readonly TailEvent[], count: number): Promise<TailEvent[]> {
  const missing = count - events.length
  if (missing <= 0) return []
  const page = await get<IncidentPage>(`/api/admin/incidents?limit=${count}`).catch(() => undefined)
  const present = new Set(events.map((event) => (event.kind === 'incident' ? event.incident.id : '')))
  const firstAt = events[0]?.at ?? new Date().toISOString()
  const older = page?.incidents.filter(({ id, created_at }) => created_at < firstAt && !present.has(id)) ?? []
  return older
    .slice(0, missing)
    .map((incident): TailEvent => ({ kind: 'incident', id: '', at: incident.created_at, incident }))
    .reverse()
}
