import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'

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
