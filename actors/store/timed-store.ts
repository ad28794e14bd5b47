import type { Store } from '../../src/store/store.ts'
import type { StoreMeters } from '../../src/telemetry/meters.ts'

interface Timing {
  readonly meters: StoreMeters
  elapsed(): number
  wrote(ms: number): void
}

/** Wraps the store so that transactions are timed and failed ones counted. */
export function timedStore(store: Store, { meters, elapsed, wrote }: Timing): Store {
  return {
    ...store,
    write(work) {
      const since = elapsed()
      try {
        return store.write(work)
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
