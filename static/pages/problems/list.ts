import type { ProblemPage, ProblemRecord } from '../../../src/api/noise/problem.ts'
import { get } from '../../api/client.ts'
import { LiveList } from '../../list/live-list.ts'
import type { Filter } from './filter.ts'

let kept: LiveList<ProblemRecord> | undefined

/**
 * Returns the problems that match a filter, open ones first; `total` is the number of all open ones. The last list is
 * kept with its scroll position, for when the reader comes back.
 */
export function listOf(filter: Filter): LiveList<ProblemRecord> {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString()
  if (kept?.query !== query) kept = new LiveList(query, (limit, cursor) => read(query, limit, cursor))
  return kept
}

async function read(query: string, limit: number, cursor: string) {
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(limit))
  if (cursor !== '') parameters.set('cursor', cursor)
  const page = await get<ProblemPage>(`/api/admin/problems?${parameters}`)
  return { rows: page.problems, total: page.firing, exact: true, unapplied: 0, next: page.next_cursor }
}
