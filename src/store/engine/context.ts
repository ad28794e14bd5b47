import type { DatabaseSync } from 'node:sqlite'
import type { ChannelName } from '../../domain/delivery.ts'
import type { UnderWay } from '../deliveries/in-flight-cache.ts'
import type { Tally } from './counts.ts'

/** What the parts of the store work on. */
export interface Tools {
  readonly db: DatabaseSync
  readonly tally: Tally
  readonly underWay: UnderWay
  /** The enabled ones. */
  readonly channels: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
}
