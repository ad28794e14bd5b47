import { CodedError } from '../../src/domain/errors.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { MaintenancePort } from '../../src/store/ports/maintenance.ts'

interface IndexerDeps {
  readonly maintenance: Pick<MaintenancePort, 'index'>
  readonly clock: Clock
  /** Told once of failures in a row: meanwhile searches read the incidents themselves. */
  failed(error: unknown): void
}

/** Incidents taken at once: two or three milliseconds, which a commit may have to wait for. */
export const INDEX_SLICE = 32
const PAUSE_MS = 100
/** Busier than this share of the time with writing, storage is left alone, unless somebody searches: what is not indexed makes that slow. */
const MAX_BUSY_SHARE = 0.25
const SEARCH_WINDOW_MS = 5_000
const SEARCH_PAUSE_MS = 10
const DISK_PAUSE_MS = 5_000

/** Keeps the index of words up in the time that commits leave, on their thread. */
interface Indexer {
  /** Storage has spent so long on a transaction. */
  recordWrite(ms: number): void
  /** Somebody searches. */
  searchStarted(): void
  close(): void
}

export function createIndexer({ maintenance, clock, failed }: IndexerDeps): Indexer {
  let state: 'open' | 'closed' = 'open'
  let timer: Timer | undefined
  let since = clock.elapsed()
  let busyMs = 0
  let failing = false
  let searchUntil = 0

  function schedule(delayMs: number): void {
    if (state === 'open') timer ??= clock.setTimer(delayMs, indexSlice)
  }

  function indexSlice(): void {
    timer = undefined
    const now = clock.elapsed()
    const share = busyMs / Math.max(1, now - since)
    since = now
    busyMs = 0
    const pauseMs = now < searchUntil ? SEARCH_PAUSE_MS : PAUSE_MS
    if (share > MAX_BUSY_SHARE && pauseMs === PAUSE_MS) return schedule(PAUSE_MS)
    try {
      if (maintenance.index(INDEX_SLICE) > 0) schedule(share === 0 ? 0 : pauseMs)
      failing = false
    } catch (error) {
      if (!failing) failed(error)
      failing = true
      // A fault of ours is not tried again: nothing in here may cost an incident its commit.
      if (error instanceof CodedError) schedule(DISK_PAUSE_MS)
      else close()
    }
  }

  function close(): void {
    state = 'closed'
    timer?.cancel()
  }

  schedule(PAUSE_MS)
  return {
    recordWrite(ms) {
      busyMs += ms
      schedule(PAUSE_MS)
    },
    searchStarted() {
      searchUntil = clock.elapsed() + SEARCH_WINDOW_MS
    },
    close,
  }
}
