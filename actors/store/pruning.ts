import type { MaintenancePort } from '../../src/store/ports/maintenance.ts'

/**
 * Commits between two runs of retention. A run touches the oldest pages of the file, so runs are rare and delete up to
 * twice as many.
 */
const PRUNE_EVERY = 256

/**
 * Retention under load. It is no maintenance task, because it has to share the transaction and the fsync of a turn: one
 * of its own would hold up the commits that follow. Call both functions inside `write`.
 */
export function createPruneSchedule({ prune }: Pick<MaintenancePort, 'prune'>) {
  let unpruned = PRUNE_EVERY
  return {
    afterCommit(committed: number): void {
      unpruned += committed
      if (unpruned < PRUNE_EVERY) return
      prune(2 * unpruned)
      unpruned = 0
    },
    /** Repeats the last run with the next commit, because its transaction was undone. */
    rollback(): void {
      unpruned = PRUNE_EVERY
    },
  }
}
