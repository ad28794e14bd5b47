import type { Status } from '../../domain/incident.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Fulltext } from '../search/fulltext.ts'

/**
 * Resolves incidents, once each; inside `write`. Returns false for one that was resolved before. `reindex` brings the
 * search index in line: at once for the one incident of an operator, queued where a sender may end many.
 */
export function openMarkResolved({ db, now }: StoreContext, reindex: Fulltext['reindex']) {
  const mark = db.query<{ status: Status }>(
    'UPDATE incidents SET resolved_at = ? WHERE seq = ? AND resolved_at IS NULL RETURNING status',
  )
  return function markResolved(seq: number): boolean {
    const row = mark.get(now(), seq)
    if (row?.status === 'firing') reindex(seq)
    return row !== undefined
  }
}

export type MarkResolved = ReturnType<typeof openMarkResolved>
