import type { Store } from '../../src/store/contract.ts'

/** Retention runs when this many were committed since, and deletes up to twice as many: every run touches the oldest pages anew. */
const PRUNE_EVERY = 256

/** When retention runs; both inside a write. */
export interface Pruning {
  after(committed: number): void
  /** The transaction was undone: what it deleted is there again. */
  undone(): void
  /** For idle moments; returns how many went. */
  some(): number
}

export function pruning(store: Pick<Store, 'prune'>): Pruning {
  let unpruned = PRUNE_EVERY
  return {
    after(committed) {
      unpruned += committed
      if (unpruned < PRUNE_EVERY) return
      store.prune(2 * unpruned)
      unpruned = 0
    },
    undone() {
      unpruned = PRUNE_EVERY
    },
    some: () => store.prune(PRUNE_EVERY),
  }
}
