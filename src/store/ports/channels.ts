import type { ChannelName, DeliveryState } from '../../domain/delivery/delivery.ts'

export interface ChannelBacklog {
  readonly pending: number
  readonly sending: number
  /** Commit time, epoch milliseconds, of the oldest incident still pending on the channel. */
  readonly oldestPendingAt: number | undefined
}

/** Settlements of a channel since opening. The last success and error are read from the ledger at opening. */
export interface ChannelTotals {
  /** Deliveries that ended. */
  readonly sent: number
  readonly dead: number
  /** Attempts that will be repeated. */
  readonly retried: number
  /** Attempts that went out as plain text because the template failed. */
  readonly renderedPlain: number
  /** Epoch milliseconds. */
  readonly lastSentAt: number | undefined
  /** `incidentId` is null for an attempt of a notice. */
  readonly lastError: { readonly at: number; readonly detail: string; readonly incidentId: string | null } | undefined
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

export interface ChannelHealth extends ChannelTotals {
  /** Epoch milliseconds; undefined while the channel is not paused. */
  readonly pausedAt: number | undefined
  readonly backlog: ChannelBacklog
  /** Dead deliveries, which a replay would try again. */
  readonly deadNow: number
  /** The last notice about dead deliveries of the channel. */
  readonly lastNotice: LastNotice | undefined
}
