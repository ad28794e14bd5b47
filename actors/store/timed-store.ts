import type { Store } from '../../src/store/store.ts'
import type { StoreFigures } from '../../src/telemetry/meters.ts'

interface Timing {
  readonly figures: StoreFigures
  elapsed(): number
  wrote(ms: number): void
}

/** The store with its transactions timed. */
export function timed(store: Store, { figures, elapsed, wrote }: Timing): Store {
  return {
    ...store,
    write(work) {
      const since = elapsed()
      try {
        return store.write(work)
      } catch (error) {
        figures.failedWrites.add()
        throw error
      } finally {
        const ms = elapsed() - since
        figures.writeMs.record(ms)
        wrote(ms)
      }
    },
  }
}
