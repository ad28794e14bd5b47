import { CodedError } from '../../src/domain/errors.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Store } from '../../src/store/store.ts'
import type { MaintenanceTask } from './maintenance.ts'

interface IndexingDeps {
  readonly maintenance: Pick<Store['maintenance'], 'index'>
  readonly clock: Clock
  /** Called once for failures in a row. Until it works again, searches read the incidents themselves. */
  failed(error: unknown): void
}

/** Incidents of one step: two or three milliseconds, which a turn may have to wait for. */
export const INDEX_SLICE = 32
const PAUSE_MS = 100
/**
 * Above this share of time spent on transactions, indexing pauses. A search lifts the limit, because it is slow over
 * what is not indexed.
 */
const MAX_BUSY_SHARE = 0.25
/** A search counts as going on for this long. */
const SEARCH_WINDOW_MS = 5_000
const SEARCH_PAUSE_MS = 10
const DISK_PAUSE_MS = 5_000

interface Indexing extends MaintenanceTask {
  /** Adds to the time spent on transactions, and makes the task due for what a transaction committed. */
  recordWrite(ms: number): void
  searchStarted(): void
}

/**
 * Keeps the search index up to date in the time that turns leave (a duty cycle). States:
 *
 *     waiting   a step is due after a pause: none when no transaction ran since the last step, 10 ms during a search,
 *               100 ms otherwise, 5 s when the disk refused; leaves to waiting or idle
 *     idle      all is indexed; leaves to waiting with the next transaction
 *     stopped   a step failed for another reason than the disk: it is a bug, which would repeat
 */
export function createIndexing({ maintenance, clock, failed }: IndexingDeps): Indexing {
  let state: 'waiting' | 'idle' | 'stopped' = 'waiting'
  let dueAt = clock.elapsed() + PAUSE_MS
  let since = clock.elapsed()
  let busyMs = 0
  let failing = false
  let searchUntil = 0

  function wait(pauseMs: number): void {
    state = 'waiting'
    dueAt = clock.elapsed() + pauseMs
  }

  function indexSlice(pauseMs: number): void {
    try {
      if (maintenance.index(INDEX_SLICE) > 0) wait(pauseMs)
      else state = 'idle'
      failing = false
    } catch (error) {
      if (!failing) failed(error)
      failing = true
      if (error instanceof CodedError) wait(DISK_PAUSE_MS)
      else state = 'stopped'
    }
  }

  return {
    name: 'index',
    due: () => (state === 'waiting' ? dueAt : undefined),
    run() {
      const now = clock.elapsed()
      const share = busyMs / Math.max(1, now - since)
      since = now
      busyMs = 0
      const searching = now < searchUntil
      if (share > MAX_BUSY_SHARE && !searching) return wait(PAUSE_MS)
      if (share === 0) return indexSlice(0)
      indexSlice(searching ? SEARCH_PAUSE_MS : PAUSE_MS)
    },
    recordWrite(ms) {
      busyMs += ms
      if (state === 'idle') wait(PAUSE_MS)
    },
    searchStarted() {
      searchUntil = clock.elapsed() + SEARCH_WINDOW_MS
    },
  }
}
