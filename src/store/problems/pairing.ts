import type { StoreContext } from '../engine/context.ts'
import type { Fulltext } from '../search/fulltext.ts'
import type { Resolution, Walk } from './counts.ts'

/** Incidents that one resolution resolves at once; those before them are resolved by later turns. */
const AT_ONCE = 16
/** Incidents that a turn goes on with. */
const STEP = 512

interface QueuedRow {
  readonly id: number
  readonly next: number
  readonly resolved_at: number
  readonly resolved_by: string | null
  readonly committed_at: number | null
}

/**
 * Resolves the firing incidents of a problem that ended, back to its last resolved one. Inside `write`.
 */
export function openPairing({ db, counts }: StoreContext, reindex: Fulltext['queueReindex']) {
  const mark = db.query<{ previous: number | null }>(
    `UPDATE incidents SET resolved_at = coalesce(resolved_at, ?), resolved_by = ? WHERE seq = ? AND status = 'firing'
       AND resolved_by IS NULL AND (resolved_at IS NULL OR resolved_at >= ?) RETURNING previous`,
  )
  const earlier = db.query<{ previous: number | null; status: string }>(
    'SELECT previous, status FROM incidents WHERE seq = ?',
  )
  const queue = db.command('INSERT INTO pairings (next, resolved_at, resolved_by, committed_at) VALUES (?, ?, ?, ?)')
  const queued = db.query<QueuedRow>('SELECT * FROM pairings ORDER BY id LIMIT 1')
  const move = db.command('UPDATE pairings SET next = ? WHERE id = ?')
  const end = db.command('DELETE FROM pairings WHERE id = ?')

  /** Returns the number of the incident before; null: the walk is over. */
  function step(incident: number, { at, by }: Pick<Walk, 'at' | 'by'>): number | null {
    const marked = mark.get(at, by?.id ?? null, incident, by?.committedAt ?? Infinity)
    if (marked !== undefined) {
      reindex(incident)
      return marked.previous
    }
    // Retention may have deleted it. A resolved one had a walk of its own.
    const row = earlier.get(incident)
    return row === undefined || row.status === 'resolved' ? null : row.previous
  }

  function walk({ next, ...by }: Walk, steps: number): { readonly next: number | null; readonly left: number } {
    let [at, left] = [next, steps]
    while (at !== null && left > 0) {
      at = step(at, by)
      left--
    }
    return { next: at, left }
  }

  return {
    resolve(begin: Walk): void {
      const { next } = walk(begin, begin.isAlone ? 1 : AT_ONCE)
      if (next === null || begin.isAlone) return
      queue.run(next, begin.at, begin.by?.id ?? null, begin.by?.committedAt ?? null)
      counts.problems.pairings++
    },
    /** Goes on with walks that were not finished, at most 512 incidents. */
    next(): void {
      let left = STEP
      while (left > 0 && counts.problems.pairings > 0) {
        const row = queued.get()
        if (row === undefined) break
        const done = walk({ next: row.next, at: row.resolved_at, by: resolutionOf(row) }, left)
        left = done.left
        if (done.next === null) {
          end.run(row.id)
          counts.problems.pairings--
        } else move.run(done.next, row.id)
      }
    },
  }
}

const resolutionOf = ({ resolved_by: id, committed_at: committedAt }: QueuedRow): Resolution | null =>
  id === null || committedAt === null ? null : { id, committedAt }
