import type { Clock } from '../../src/kernel/clock.ts'
import type { MaintenancePort } from '../../src/store/ports/maintenance.ts'
import type { MaintenanceTask } from './maintenance.ts'

/** Time without a turn after which the idle tasks begin. */
const IDLE_AFTER_MS = 1_000

interface IdleDeps {
  readonly clock: Clock
  /** One transaction of pruning; returns the number of rows. May throw as `write` does. */
  prune(): number
  readonly checkpoint: MaintenancePort['checkpoint']
  /** Runs `work` and reports a disk that refuses, instead of throwing. */
  guarded(work: () => void): void
}

/** Retention and checkpoint for idle moments. */
interface IdleTasks {
  readonly tasks: readonly MaintenanceTask[]
  /** Starts the wait again; called after each turn. */
  postpone(): void
}

/**
 * After a second without a turn: prunes step by step until nothing is left, then moves the write-ahead log into the
 * database file once. When the disk refuses, it moves the log, which may free space, and tries again a second later.
 */
export function createIdleTasks({ clock, prune, checkpoint, guarded }: IdleDeps): IdleTasks {
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
    postpone() {
      pruneAt = clock.elapsed() + IDLE_AFTER_MS
      checkpointAt = undefined
    },
  }
}

interface RetryDeps {
  readonly clock: Clock
  readonly retryQuarantined: MaintenancePort['retryQuarantined']
  /** True while the journal is empty and the disk works. */
  mayRetry(): boolean
  /** Called after an entry has gone back into the journal. */
  requeued(): void
}

/**
 * Moves entries of the quarantine back into the journal, one at a time and as soon as the journal is empty, until none
 * is left.
 */
export function retryQuarantinedTask({ clock, retryQuarantined, mayRetry, requeued }: RetryDeps): MaintenanceTask {
  let state: 'trying' | 'done' = 'trying'
  return {
    name: 'retry quarantined',
    due: () => (state === 'trying' && mayRetry() ? clock.elapsed() : undefined),
    run() {
      if (retryQuarantined()) requeued()
      else state = 'done'
    },
  }
}
