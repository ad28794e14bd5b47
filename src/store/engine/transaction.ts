import { ApplyError, type Journal } from '../journal/journal.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Quarantine } from '../journal/quarantine.ts'
import type { Quarantined } from '../ports/journal.ts'
import type { Write } from '../ports/transaction.ts'
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

/** Opens `write`: transactions that undo memory (counts, caches, the journal's buffer) together with the disk. */
export function openWrite(context: StoreContext, deps: WriteDeps): Write {
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

  /**
   * Runs `work` again with the bad entry in quarantine and applying suspended. Dearer than a savepoint, but only for
   * the turn that fails.
   */
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
