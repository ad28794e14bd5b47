import type { DatabaseSync } from 'node:sqlite'
import type { ChannelName } from '../../domain/delivery.ts'
import type { InFlightCache } from '../deliveries/in-flight-cache.ts'
import type { Counts } from './counts.ts'

/** What the parts of the store work on. */
export interface StoreContext {
  readonly db: DatabaseSync
  readonly counts: Counts
  readonly inFlight: InFlightCache
  /** The enabled ones. */
  readonly channels: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
}
