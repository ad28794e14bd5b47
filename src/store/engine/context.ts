import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { InFlightCache } from '../outbox/in-flight-cache.ts'
import type { Counts } from './counts.ts'
import type { Lanes } from './lanes.ts'
import type { Caches } from './overlay.ts'
import type { Engine } from './sql.ts'
import type { Statements } from './statement.ts'

/** Shared state of the parts of one store. */
export interface StoreContext {
  readonly db: Statements
  readonly engine: Engine
  readonly counts: Counts
  readonly lanes: Lanes
  readonly inFlight: InFlightCache
  readonly caches: Caches
  /** Owner of the leases that this store gives: the number of times that the database was opened. */
  readonly owner: number
  /** The enabled channels. */
  readonly channels: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
}
