import { CodedError } from '../../domain/errors.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { StoreContext } from './context.ts'
import { snapshot } from './counts.ts'
import { checkpoint, transactionOf, withoutFsync } from './database.ts'
import type { FileIdentity } from './file-identity.ts'

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
  readonly fileIdentity: FileIdentity
}

const FILE_MISSING = 'the database was moved or removed while it was open: put it back, and restart the service'

export function openTransactions(context: StoreContext, { payloads, fileIdentity }: TransactionDeps): Transactions {
  const { db, counts, inFlight } = context
  const transaction = transactionOf(db)
  let released = 0

  function transact<T>(work: () => T): T {
    const before = snapshot(counts)
    if (!fileIdentity.unchanged()) throw new CodedError('storage_down', FILE_MISSING)
    return transaction(work, () => {
      Object.assign(counts, before)
      inFlight.clear()
      payloads.rollback()
    })
  }
  return {
    write(work) {
      const result = transact(work)
      released = counts.appliedUpTo
      return result
    },
    writeWithoutFsync: (work) => withoutFsync(db, () => transact(work)),
    checkpoint() {
      const done = checkpoint(db)
      if (done) released = counts.appliedUpTo
      return done
    },
    get released() {
      return released
    },
  }
}
