import type { StoreContext } from './context.ts'
import { snapshot } from './counts.ts'

/**
 * Runs `work` in one transaction that undoes memory (counts, caches) together with the disk when it fails. Transactions
 * do not nest. Throws `storage_full`, `storage_down`, and what `work` throws.
 */
export type Write = <T>(work: () => T) => T

/** Returns the same functions, each call of which is a transaction of its own. */
export function inTransactions<Verbs extends object>(write: Write, verbs: Verbs): Verbs {
  const inTransaction =
    (verb: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) =>
      write(() => verb(...args))
  return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, inTransaction(verb)])) as Verbs
}

export type Transactions = ReturnType<typeof openTransactions>

/** `waiting`: what is written at the end of each transaction. */
export function openTransactions({ counts, caches, engine }: StoreContext, waiting: readonly { flush(): void }[]) {
  let released = 0

  function transact<T>(work: () => T, synced: boolean): T {
    const before = snapshot(counts)
    const flushed = () => {
      const result = work()
      for (const each of waiting) each.flush()
      return result
    }
    const result = engine.transact(flushed, {
      synced,
      undo() {
        Object.assign(counts, snapshot(before))
        for (const cache of caches) cache.rollback()
      },
    })
    for (const cache of caches) cache.commit?.()
    return result
  }

  return {
    /** With an fsync: what `work` did is durable when this returns, and with it all that was written before. */
    write<T>(work: () => T): T {
      const result = transact(work, true)
      released = counts.appliedUpTo
      return result
    },
    /** Without: a power cut may undo it as a whole, but nothing of `write`. */
    writeWithoutFsync: <T>(work: () => T): T => transact(work, false),
    /** Makes all that was written durable; false: the disk refused, nothing is lost. */
    checkpoint(): boolean {
      const done = engine.checkpoint()
      if (done) released = counts.appliedUpTo
      return done
    },
    /** Number of the last applied incident whose rows survive a power cut. */
    get released() {
      return released
    },
  }
}
