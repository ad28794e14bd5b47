import { CodedError } from '../../domain/errors.ts'
import type { Quarantined, Store } from '../contract.ts'
import { ApplyError, type Journal } from '../journal/journal.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Quarantine } from '../journal/quarantine.ts'
import type { StoreContext } from './context.ts'
import { snapshot } from './counts.ts'
import { transactionOf } from './database.ts'
import type { FileIdentity } from './file-identity.ts'

interface WriteDeps {
  readonly journal: Pick<Journal, 'suspend' | 'flush' | 'rollback'>
  readonly payloads: Pick<Payloads, 'rollback'>
  readonly fileIdentity: Pick<FileIdentity, 'recheck'>
  readonly quarantine: Pick<Quarantine, 'add'>
  quarantined(row: Quarantined): void
}

/** Where there is no room for it, what was set aside stays so until the next start. */
export function openRetryQuarantined(
  quarantine: Pick<Quarantine, 'requeue' | 'hasCandidates' | 'dropCandidates'>,
  write: Store['write'],
): Store['retryQuarantined'] {
  const requeue = () => {
    try {
      return write(() => quarantine.requeue())
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }
  return () => {
    if (!quarantine.hasCandidates) return false
    const requeued = requeue()
    if (!requeued) quarantine.dropCandidates()
    return requeued
  }
}

/** Transactions whose failure leaves memory as it leaves the disk. */
export function openWrite(context: StoreContext, deps: WriteDeps): Store['write'] {
  const { db, counts, inFlight } = context
  const { journal, payloads, fileIdentity, quarantine } = deps
  const transaction = transactionOf(db)

  function transact<T>(work: () => T): T {
    const before = snapshot(counts)
    fileIdentity.recheck()
    return transaction(
      () => {
        const result = work()
        journal.flush()
        return result
      },
      () => {
        Object.assign(counts, before)
        inFlight.clear()
        payloads.rollback()
        journal.rollback()
      },
    )
  }

  /** The same, but that nothing is filed. A savepoint before every batch would cost all the others what this costs the one. */
  function quarantineAndRetry<T>(failure: ApplyError, work: () => T): T {
    const { row, result } = journal.suspend(() => transact(() => ({ row: quarantine.add(failure), result: work() })))
    if (row !== undefined) deps.quarantined(row)
    return result
  }
  return (work) => {
    try {
      return transact(work)
    } catch (error) {
      if (!(error instanceof ApplyError)) throw error
      return quarantineAndRetry(error, work)
    }
  }
}
