import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { ProblemWatch } from './quiet.ts'
import { PROBLEM_STATE, type ProblemRow, type ProblemRows } from './rows.ts'

/** Problems that are kept; above it those that ended first are deleted, then those that fire without news. */
const MAX_KEPT = 50_000
/** Problems that ended longer ago are deleted. */
const KEPT_MS = 30 * 24 * 3_600_000
/** Old problems that are deleted at once. */
const STEP = 256

interface PruneDeps {
  readonly rows: Pick<ProblemRows, 'deleted'>
  readonly watch: Pick<ProblemWatch, 'ended'>
  /** Writes what waits: what the opening adds again has its problem. */
  flush(): void
}

/** Opens the retention of problems. Inside `write`. */
export function openPruneProblems({ db, counts, now }: StoreContext, { rows, watch, flush }: PruneDeps) {
  const oldest = query<object>(db, 'SELECT 1 FROM problems WHERE state = ? AND brief = ? AND last_at < ? LIMIT 1')
  const remove = query<Pick<ProblemRow, 'id' | 'fingerprint'>>(
    db,
    `DELETE FROM problems WHERE id IN (SELECT id FROM problems WHERE state = ? AND brief = ? AND last_at < ? ORDER BY last_at LIMIT ?)
     RETURNING id, fingerprint`,
  )

  function removeOldest(state: number, before: number, limit: number): void {
    let deleted = 0
    for (const brief of [1, 0]) {
      if (oldest.get(state, brief, before) === undefined) continue
      flush()
      for (const row of remove.all(state, brief, before, limit - deleted)) {
        deleted++
        rows.deleted(row)
        watch.ended(row.fingerprint)
      }
    }
    counts.problems.stored -= deleted
    if (state === PROBLEM_STATE.firing) counts.problems.firing -= deleted
  }

  return function prune(): void {
    removeOldest(PROBLEM_STATE.resolved, now() - KEPT_MS, STEP)
    for (const state of [PROBLEM_STATE.resolved, PROBLEM_STATE.firing]) {
      const excess = counts.problems.stored - MAX_KEPT
      if (excess > 0) removeOldest(state, Number.MAX_SAFE_INTEGER, excess)
    }
  }
}
