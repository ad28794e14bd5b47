import type { Store } from '../../src/store/store.ts'
import type { StoreMeters } from '../../src/telemetry/meters.ts'

interface Timing {
  readonly meters: StoreMeters
  elapsed(): number
  wrote(ms: number): void
}

/** Wraps the store so that turns are timed and failed ones counted. */
export function timedStore(store: Store, { meters, elapsed, wrote }: Timing): Store {
  return {
    ...store,
    turn(turn) {
      const since = elapsed()
      try {
        return store.turn(turn)
      } catch (error) {
        meters.failedWrites.add()
        throw error
      } finally {
        const ms = elapsed() - since
        meters.writeMs.record(ms)
        wrote(ms)
      }
    },
  }
}
