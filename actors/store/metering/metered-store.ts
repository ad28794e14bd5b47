import type { Turn, TurnResult } from '../../../src/store/ports/turn.ts'
import type { Store } from '../../../src/store/store.ts'
import type { NoiseMeters, StoreMeters } from '../../../src/telemetry/meters.ts'
import { countTold } from './count-told.ts'

interface Metering {
  readonly meters: { readonly store: StoreMeters; readonly noise: NoiseMeters }
  elapsed(): number
  wrote(ms: number): void
}

/** Wraps the store so that turns are timed, failed ones counted, and so is what they told of. */
export function meteredStore(store: Store, { meters, elapsed, wrote }: Metering): Store {
  function timed(turn: Turn): TurnResult {
    const since = elapsed()
    try {
      return store.turn(turn)
    } catch (error) {
      meters.store.failedWrites.add()
      throw error
    } finally {
      const ms = elapsed() - since
      meters.store.writeMs.record(ms)
      wrote(ms)
    }
  }
  return {
    ...store,
    turn(turn) {
      const result = timed(turn)
      countTold(meters.noise, { turn, result, bounded: store.noise.bounded })
      return result
    },
  }
}
