import type { LaneState } from '../../policy/bundles/lane.ts'
import { BUNDLE_KIND, KIND, STATE } from '../engine/column-codes.ts'
import type { Statements } from '../engine/statement.ts'

interface SavedState {
  readonly code: number
  readonly state: LaneState
  /** Number of the open digest; null: calm. */
  readonly bundle: number | null
  /** Number of the latest digest; 0: there was none. */
  readonly last: number
}

/** Opens what the disk has of destinations under storm rules. */
export function openLaneStates(db: Statements) {
  const save = db.command('UPDATE destinations SET storm = ? WHERE code = ?')
  const saved = db.query<{ code: number; storm: string; bundle: number | null; last: number }>(
    `SELECT code, storm, (SELECT max(id) FROM bundles WHERE destination = code AND closed_at IS NULL AND kind = ${BUNDLE_KIND.storm}) AS bundle,
       (SELECT coalesce(max(id), 0) FROM bundles WHERE destination = code AND storm IS NOT NULL) AS last
     FROM destinations WHERE storm IS NOT NULL`,
  )
  const retry = db.query<object>(
    `SELECT 1 FROM dispatches WHERE kind = ${KIND.delivery} AND destination = ? AND state = ${STATE.pending} AND attempts > 0 AND due_at > ?
     LIMIT 1`,
  )
  return {
    /** Inside `write`. */
    save: (code: number, state: LaneState): void => save.run(JSON.stringify(state), code),
    all: (): SavedState[] => saved.all().map(({ storm, ...row }) => ({ ...row, state: JSON.parse(storm) })),
    /** A delivery failed and waits for its next attempt. */
    hasRetries: (code: number, now: number): boolean => retry.get(code, now) !== undefined,
  }
}
