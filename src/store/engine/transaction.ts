import { CodedError } from '../../domain/errors.ts'
import type { Quarantined, Store } from '../contract.ts'
import { Unfilable, type Unfiled } from '../journal/journal.ts'
import type { Contents } from '../journal/payloads.ts'
import type { Quarantine } from '../journal/quarantine.ts'
import type { Tools } from './context.ts'
import { copyOf } from './counts.ts'
import { transactionOf } from './database.ts'
import type { Place } from './file-identity.ts'

interface WriteParts {
  readonly unfiled: Pick<Unfiled, 'still' | 'note' | 'forget'>
  readonly contents: Pick<Contents, 'forget'>
  readonly place: Pick<Place, 'forget'>
  readonly quarantine: Pick<Quarantine, 'add'>
  quarantined(row: Quarantined): void
}

/** Where there is no room for it, what was set aside stays so until the next start. */
export function openRetry(
  quarantine: Pick<Quarantine, 'release' | 'untried' | 'keep'>,
  write: Store['write'],
): Store['retry'] {
  const release = () => {
    try {
      return write(() => quarantine.release())
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }
  return () => {
    if (!quarantine.untried) return false
    const released = release()
    if (!released) quarantine.keep()
    return released
  }
}

/** Transactions whose failure leaves memory as it leaves the disk. */
export function openWrite(tools: Tools, parts: WriteParts): Store['write'] {
  const { db, tally, underWay } = tools
  const { unfiled, contents, place, quarantine } = parts
  const transaction = transactionOf(db)

  function attempt<T>(work: () => T): T {
    const before = copyOf(tally)
    place.forget()
    return transaction(
      () => {
        const result = work()
        unfiled.note()
        return result
      },
      () => {
        Object.assign(tally, before)
        underWay.forgetAll()
        contents.forget()
        unfiled.forget()
      },
    )
  }

  /** The same, but that nothing is filed. A savepoint before every batch would cost all the others what this costs the one. */
  function setAside<T>(unfilable: Unfilable, work: () => T): T {
    const { row, result } = unfiled.still(() => attempt(() => ({ row: quarantine.add(unfilable), result: work() })))
    if (row !== undefined) parts.quarantined(row)
    return result
  }
  return (work) => {
    try {
      return attempt(work)
    } catch (error) {
      if (!(error instanceof Unfilable)) throw error
      return setAside(error, work)
    }
  }
}
