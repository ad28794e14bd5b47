import type { DatabaseSync } from 'node:sqlite'
import type { ChannelName } from '../../domain/delivery.ts'
import type { InFlightCache } from '../deliveries/in-flight-cache.ts'
import type { Counts } from './counts.ts'

/** Shared state of the parts of one store. */
export interface StoreContext {
  readonly db: DatabaseSync
  readonly counts: Counts
  readonly inFlight: InFlightCache
  /** The enabled channels. */
  readonly channels: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
}
