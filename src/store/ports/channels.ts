import type { ChannelName, DeliveryState } from '../../domain/delivery/delivery.ts'
import type { Health } from '../engine/counts.ts'

export interface ChannelBacklog {
  readonly pending: number
  readonly sending: number
  /** Commit time, epoch milliseconds, of the oldest incident still pending on the channel. */
  readonly oldestPendingAt: number | undefined
}

export interface LastNotice {
  readonly state: DeliveryState
  /** The channel that it was last sent through. */
  readonly via: ChannelName | null
  readonly attempts: number
  /** Epoch milliseconds, as `ended_at`. */
  readonly first_at: number | null
  readonly ended_at: number | null
}

export interface ChannelHealth extends Readonly<Health> {
  /** Epoch milliseconds; undefined while the channel is not paused. */
  readonly pausedAt: number | undefined
  readonly backlog: ChannelBacklog
  /** Dead deliveries, which a replay would try again. */
  readonly deadNow: number
  /** The last notice about dead deliveries of the channel. */
  readonly lastNotice: LastNotice | undefined
}
