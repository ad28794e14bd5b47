import { CodedError } from '../../src/domain/errors.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Store } from '../../src/store/store.ts'

export interface IndexingTools {
  readonly store: Pick<Store, 'index'>
  readonly clock: Clock
  /** Told once of failures in a row: meanwhile searches read the incidents themselves. */
  failed(error: unknown): void
}

/** Incidents taken at once: two or three milliseconds, which a commit may have to wait for. */
export const SLICE = 32
const PAUSE_MS = 100
/** Busier than this share of the time with writing, storage is left alone, unless somebody searches: what is not indexed makes that slow. */
const BUSY = 0.25
const WANTED_MS = 5_000
const WANTED_PAUSE_MS = 10
const DISK_PAUSE_MS = 5_000

/** Keeps the index of words up in the time that commits leave, on their thread. */
export interface Indexing {
  /** Storage has spent so long on a transaction. */
  wrote(ms: number): void
  /** Somebody searches. */
  wanted(): void
  close(): void
}

export function createIndexing({ store, clock, failed }: IndexingTools): Indexing {
  let state: 'open' | 'closed' = 'open'
  let timer: Timer | undefined
  let since = clock.elapsed()
  let busyMs = 0
  let failing = false
  let wantedUntil = 0

  function arm(delayMs: number): void {
    if (state === 'open') timer ??= clock.setTimer(delayMs, look)
  }

  function look(): void {
    timer = undefined
    const now = clock.elapsed()
    const share = busyMs / Math.max(1, now - since)
    since = now
    busyMs = 0
    const pauseMs = now < wantedUntil ? WANTED_PAUSE_MS : PAUSE_MS
    if (share > BUSY && pauseMs === PAUSE_MS) return arm(PAUSE_MS)
    try {
      if (store.index(SLICE) > 0) arm(share === 0 ? 0 : pauseMs)
      failing = false
    } catch (error) {
      if (!failing) failed(error)
      failing = true
      // A fault of ours is not tried again: nothing in here may cost an incident its commit.
      if (error instanceof CodedError) arm(DISK_PAUSE_MS)
      else close()
    }
  }

  function close(): void {
    state = 'closed'
    timer?.cancel()
  }

  arm(PAUSE_MS)
  return {
    wrote(ms) {
      busyMs += ms
      arm(PAUSE_MS)
    },
    wanted() {
      wantedUntil = clock.elapsed() + WANTED_MS
    },
    close,
  }
}
