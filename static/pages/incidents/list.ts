import type { IncidentPage, IncidentRecord } from '../../../src/api/incident.ts'
import { get } from '../../api/client.ts'
import { LiveList } from '../../list/live-list.ts'

let kept: LiveList<IncidentRecord> | undefined

/** Returns the list of a query. The last one is kept with its scroll position, for when the reader comes back. */
export function listOf(query: string): LiveList<IncidentRecord> {
  if (kept?.query !== query) kept = new LiveList(query, (limit, cursor) => read(query, limit, cursor))
  return kept
}

async function read(query: string, limit: number, cursor: string) {
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(limit))
  if (cursor !== '') parameters.set('cursor', cursor)
  const page = await get<IncidentPage>(`/api/admin/incidents?${parameters}`)
  const { incidents: rows, total, total_is_exact: exact, unapplied, next_cursor: next } = page
  return { rows, total, exact, unapplied, next }
}
