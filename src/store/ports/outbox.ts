import type { Dispatch, Settlement } from '../../domain/commit.ts'
import type { ChannelName, DeliveryState } from '../../domain/delivery.ts'
import type { NotifyStatus } from '../../domain/incident.ts'
import type { NoticeSubject } from '../../domain/notice.ts'

export interface ClaimLimits {
  readonly slots: number
  /** Bound of the payloads' sum; the first delivery is claimed even when it is larger. */
  readonly maxBytes: number
}

/** Effect of a settlement, for events and metrics. */
export interface Settled {
  readonly incidentId: string
  readonly title: string
  readonly severity: string
  /** Arrival of the incident, epoch milliseconds. */
  readonly createdAt: number
  /** Attempts made so far, those before a replay included. */
  readonly attempts: number
  readonly state: DeliveryState
  /** Other than `pending`: this was the incident's last unfinished delivery. */
  readonly notifyStatus: NotifyStatus
}

export interface ClaimedNotices {
  readonly dispatches: readonly Dispatch[]
  /** Subjects with a due notice and no channel that is known to work. */
  readonly stuck: readonly NoticeSubject[]
}

/**
 * Deliveries, notices and follow-ups on their way to senders: claim leases them, settle records how they ended, reclaim
 * ends the lease of a sender that died.
 *
 * Store thread. `nextDueAt` and `nextNoticeAt` anywhere, the others inside `write` only; failures of the disk leave
 * `write` as `storage_full` or `storage_down`.
 */
export interface OutboxPort {
  /** Leases due deliveries of a channel, in order of due time, then of commit. */
  claim(channel: ChannelName, limits: ClaimLimits): Dispatch[]
  /**
   * Leases notices and follow-ups that are due. Notices go through channels that work, at most one about a channel in
   * 15 minutes. `reserve` asks whether the channel's sender has a free slot. Costs no query when nothing is due.
   */
  claimNotices(reserve: (channel: ChannelName) => boolean): ClaimedNotices
  /**
   * Records the attempt and its verdict. Returns undefined for a notice or follow-up, and, counted, for a dispatch that
   * is not leased.
   */
  settle(settlement: Settlement): Settled | undefined
  /**
   * After a sender died: makes pending again what it held, flagged `mayDuplicate`; returns the number of deliveries.
   * Opening does so for all.
   */
  reclaim(channels: readonly ChannelName[]): number
  /**
   * Makes deliveries due now that were never tried and wait for a later turn: the rates that set the turn may have
   * changed.
   */
  makeDueNow(): void
  /**
   * Returns the epoch milliseconds of the earliest pending delivery, which may be past; undefined when none is pending.
   * O(1).
   */
  nextDueAt(channel: ChannelName): number | undefined
  /** Returns the epoch milliseconds of the next notice or follow-up; undefined when none waits for a time. O(1). */
  nextNoticeAt(): number | undefined
}
