import { CodedError } from '../../src/domain/errors.ts'

interface DiskStateDeps {
  /** Called once when the disk begins to refuse. */
  refused(error: CodedError): void
  /** Called once when it works again. */
  recovered(): void
}

/**
 * State of the disk by the last transaction:
 *
 *     good       leaves to refusing when a transaction fails with `storage_full` or `storage_down`
 *     refusing   leaves to good with the next transaction that succeeds
 */
export function createDiskState({ refused, recovered }: DiskStateDeps) {
  let state: 'good' | 'refusing' = 'good'
  return {
    get isGood() {
      return state === 'good'
    },
    /** Runs `work`. Calls `onRefused` when the disk refuses, and throws all other errors. */
    track(work: () => void, onRefused: (error: CodedError) => void = () => {}): void {
      const before = state
      try {
        work()
        state = 'good'
        if (before === 'refusing') recovered()
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        state = 'refusing'
        onRefused(error)
        if (before === 'good') refused(error)
      }
    },
  }
}
