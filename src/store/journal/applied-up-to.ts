import type { StoreContext } from '../engine/context.ts'

/** Inside `write`. */
export type AppliedUpTo = ReturnType<typeof openAppliedUpTo>

export function openAppliedUpTo({ db, counts }: StoreContext) {
  const save = db.command('UPDATE applied SET up_to = ?')
  counts.appliedUpTo = db.query<{ up_to: number }>('SELECT up_to FROM applied').get()?.up_to ?? 0
  return {
    advance(to: number): void {
      if (to <= counts.appliedUpTo) return
      save.run(to)
      counts.appliedUpTo = to
    },
  }
}
