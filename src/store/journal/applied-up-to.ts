import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'

/**
 * Number of the last incident of the journal that is applied, in quarantine, or skipped: one row, changed with the rows
 * of the incidents.
 */
export const APPLIED_UP_TO = `
CREATE TABLE applied (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  up_to INTEGER NOT NULL
);
INSERT INTO applied (id, up_to) VALUES (1, 0);
`

/** Inside `write`. */
export type AppliedUpTo = ReturnType<typeof openAppliedUpTo>

export function openAppliedUpTo({ db, counts }: StoreContext) {
  const save = command(db, 'UPDATE applied SET up_to = ?')
  counts.appliedUpTo = query<{ up_to: number }>(db, 'SELECT up_to FROM applied').get()?.up_to ?? 0
  return {
    advance(to: number): void {
      if (to <= counts.appliedUpTo) return
      save.run(to)
      counts.appliedUpTo = to
    },
  }
}
