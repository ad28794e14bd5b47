import { CodedError } from '../../src/domain/errors.ts'
import type { Payload, Recognized } from '../../src/domain/incident.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { JournalPort } from '../../src/store/journal/port.ts'
import type { Applied } from '../../src/store/ports/journal.ts'
import { decodeFrame } from './decode-frame.ts'
import type { MaintenanceTask } from './maintenance.ts'

/** Time without a turn after which the idle tasks begin. */
const IDLE_AFTER_MS = 1_000

interface IdleDeps {
  readonly clock: Clock
  /** One transaction of pruning; returns the number of rows. May throw `storage_full`, `storage_down`. */
  prune(): number
  checkpoint(): void
  /** Runs `work` and reports a disk that refuses, instead of throwing. */
  guarded(work: () => void): void
}

/**
 * After a second without a turn: prunes step by step until nothing is left, then moves the write-ahead log into the
 * database file once. When the disk refuses, it moves the log, which may free space, and tries again a second later.
 */
export function createIdleTasks({ clock, prune, checkpoint, guarded }: IdleDeps) {
  let pruneAt: number | undefined
  let checkpointAt: number | undefined
  return {
    tasks: [
      {
        name: 'prune',
        due: () => pruneAt,
        run() {
          pruneAt = clock.elapsed() + IDLE_AFTER_MS
          checkpointAt = clock.elapsed()
          guarded(() => {
            const pruned = prune()
            pruneAt = pruned > 0 ? clock.elapsed() : undefined
            checkpointAt = pruned > 0 ? undefined : clock.elapsed()
          })
        },
      },
      {
        name: 'checkpoint',
        due: () => checkpointAt,
        run() {
          checkpointAt = undefined
          checkpoint()
        },
      },
    ],
    /** Starts the wait again; called after each turn. */
    postpone(): void {
      pruneAt = clock.elapsed() + IDLE_AFTER_MS
      checkpointAt = undefined
    },
  }
}

interface RetryDeps {
  readonly clock: Clock
  readonly journal: Pick<JournalPort, 'nextQuarantined' | 'retry'>
  recognise(payload: Payload): Recognized
  /** True while everything else is applied and the disk works. */
  mayRetry(): boolean
  applied(applied: Applied): void
}

/**
 * Tries once more to apply what was in quarantine at the opening, one entry at a time. When the disk refuses, all that
 * is left stays there until the next start.
 */
export function retryQuarantinedTask({ clock, journal, recognise, mayRetry, applied }: RetryDeps): MaintenanceTask {
  let state: 'trying' | 'done' = 'trying'

  /** Returns false when none is left. */
  function retryNext(): boolean {
    const next = journal.nextQuarantined()
    if (next === undefined) return false
    const result = journal.retry(next, decodeFrame(next.frame, next, recognise))
    if (result !== undefined) applied(result)
    return true
  }
  return {
    name: 'retry quarantined',
    due: () => (state === 'trying' && mayRetry() ? clock.elapsed() : undefined),
    run() {
      try {
        if (!retryNext()) state = 'done'
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        state = 'done'
      }
    },
  }
}
