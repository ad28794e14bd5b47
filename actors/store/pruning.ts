import type { MaintenancePort } from '../../src/store/ports/maintenance.ts'

/** Retention runs when this many were committed since, and deletes up to twice as many: every run touches the oldest pages anew. */
const PRUNE_EVERY = 256

/** When retention runs; both inside a write. */
interface PruneSchedule {
  afterCommit(committed: number): void
  /** The transaction was undone: what it deleted is there again. */
  rollback(): void
  /** For idle moments; returns how many went. */
  pruneSome(): number
}

export function createPruneSchedule(maintenance: Pick<MaintenancePort, 'prune'>): PruneSchedule {
  let unpruned = PRUNE_EVERY
  return {
    afterCommit(committed) {
      unpruned += committed
      if (unpruned < PRUNE_EVERY) return
      maintenance.prune(2 * unpruned)
      unpruned = 0
    },
    rollback() {
      unpruned = PRUNE_EVERY
    },
    pruneSome: () => maintenance.prune(PRUNE_EVERY),
  }
}
