import { KIND, STATE } from '../../engine/column-codes.ts'
import type { Statements } from '../../engine/statement.ts'

/** Incidents of a problem that are looked at, the newest first. */
const LOOK_BACK = 1_000

/** Where the look begins, and what counts. */
export interface TellingQuestion {
  /** Number of the newest incident of the problem that may have been told; null: there is none. */
  readonly newest: number | null
  readonly destination: number
  /** Number of the last incident whose pending deliveries may still be held: they do not count as told. */
  readonly openedAfter: number
  /** Number of the last incident that the opening has passed: what is pending up to it is sent, and counts as told. */
  readonly heldThrough: number
  /**
   * Commit of the end that is asked for, epoch milliseconds: incidents that were resolved before it are of an earlier spell.
   * Absent: all resolved ones are.
   */
  readonly endedAt?: number
}

/**
 * Opens the question whether a destination was told of a problem, or will be, since its last end. Follows the numbers of
 * the incidents before each other, at most 1,000 of them.
 */
export function openWasTold(db: Statements): (question: TellingQuestion) => boolean {
  const fires = "i.status <> 'resolved' AND (i.resolved_at IS NULL OR i.resolved_at >= ?2)"
  const told = db.query<object>(`WITH RECURSIVE spell (seq, previous, steps) AS (
       SELECT i.seq, i.previous, 1 FROM incidents i WHERE i.seq = ?1 AND ${fires}
       UNION ALL
       SELECT i.seq, i.previous, s.steps + 1 FROM spell s CROSS JOIN incidents i
         WHERE i.seq = s.previous AND ${fires} AND s.steps < ${LOOK_BACK})
     SELECT 1 FROM spell s CROSS JOIN dispatches d
     WHERE d.incident = s.seq AND d.kind = ${KIND.delivery} AND d.destination = ?3 AND d.number = 0
       AND (d.state IN (${STATE.sending}, ${STATE.sent}, ${STATE.folded}) OR (d.state = ${STATE.pending} AND (d.may_duplicate = 1 OR d.incident > ?4 OR d.incident <= ?5))) LIMIT 1`)
  return ({ newest, destination, openedAfter, heldThrough, endedAt = Number.MAX_SAFE_INTEGER }) =>
    newest !== null && told.get(newest, endedAt, destination, openedAfter, heldThrough) !== undefined
}
