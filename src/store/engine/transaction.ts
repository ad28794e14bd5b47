import { CodedError } from '../../domain/errors.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { RepeatsOfProblems } from '../noise/repeats/open.ts'
import type { Causes } from '../noise/silences/causes.ts'
import type { Storms } from '../noise/storms.ts'
import type { Problems } from '../problems/problems.ts'
import type { StoreContext } from './context.ts'
import { snapshot } from './counts.ts'
import { checkpoint, transactionOf, withoutFsync } from './database.ts'
import type { FileIdentity } from './file-identity.ts'
import { command } from './statement.ts'

/**
 * Runs `work` in one transaction that undoes memory (counts, caches) together with the disk when it fails. Transactions
 * do not nest. Throws `storage_full`, `storage_down`, and what `work` throws.
 */
export type Write = <T>(work: () => T) => T

export interface Transactions {
  /** With an fsync: what `work` did is durable when this returns, and with it all that was written before. */
  readonly write: Write
  /** Without: a power cut may undo it as a whole, but nothing of `write`. */
  readonly writeWithoutFsync: Write
  /** Moves the write-ahead log into the database file; false: the disk refused, nothing is lost. */
  checkpoint(): boolean
  /** Number of the last applied incident whose rows survive a power cut. */
  readonly released: number
}

/** Returns the same functions, each call of which is a transaction of its own. */
export function inTransactions<Verbs extends object>(write: Write, verbs: Verbs): Verbs {
  const inTransaction =
    (verb: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) =>
      write(() => verb(...args))
  return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, inTransaction(verb)])) as Verbs
}

interface TransactionDeps {
  readonly payloads: Pick<Payloads, 'rollback'>
  /** Memory that is written at the end of a transaction. */
  readonly storms: Pick<Storms, 'flush' | 'rollback'>
  readonly repeats: Pick<RepeatsOfProblems, 'flush' | 'rollback'>
  readonly problems: Pick<Problems, 'rollback'>
  readonly causes: Pick<Causes, 'rollback'>
  readonly fileIdentity: FileIdentity
}

const FILE_MISSING = 'the database was moved or removed while it was open: put it back, and restart the service'

export function openTransactions(
  context: StoreContext,
  { payloads, storms, repeats, problems, causes, fileIdentity }: TransactionDeps,
): Transactions {
  const { db, counts, inFlight } = context
  const transaction = transactionOf(db)
  // SQLite syncs nothing for a transaction that leaves every page as it was, and writes no row whose values stay the same.
  const touch = command(db, 'UPDATE applied SET up_to = ~up_to')
  let released = 0
  /** Something was written without an fsync since the last one. */
  let unsynced = false

  function transact<T>(work: () => T): T {
    const before = snapshot(counts)
    if (!fileIdentity.unchanged()) throw new CodedError('storage_down', FILE_MISSING)
    const flushed = () => {
      const result = work()
      storms.flush()
      repeats.flush()
      return result
    }
    return transaction(flushed, () => {
      Object.assign(counts, before)
      inFlight.clear()
      payloads.rollback()
      storms.rollback()
      repeats.rollback()
      problems.rollback()
      causes.rollback()
    })
  }
  /** Twice: the number stays. */
  function forceSync(): void {
    touch.run()
    touch.run()
  }

  function synced(): void {
    released = counts.appliedUpTo
    unsynced = false
  }
  return {
    write(work) {
      const result = transact(() => {
        if (unsynced) forceSync()
        return work()
      })
      synced()
      return result
    },
    writeWithoutFsync(work) {
      const result = withoutFsync(db, () => transact(work))
      unsynced = true
      return result
    },
    checkpoint() {
      const done = checkpoint(db)
      if (done) synced()
      return done
    },
    get released() {
      return released
    },
  }
}
