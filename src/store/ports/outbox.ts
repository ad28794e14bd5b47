import type { ChannelName, DeliveryState, Destination } from '../../domain/delivery.ts'
import type { Dispatch, Settlement } from '../../domain/dispatch.ts'
import type { NotifyStatus } from '../../domain/incident.ts'
import type { NoticeSubject } from '../../domain/notice.ts'
import type { Way } from '../../policy/storm-state.ts'
import type { OncallChange } from './oncall.ts'

/** Room of one destination's sender. */
export interface Capacity {
  readonly slots: number
  /** Bound of the payloads' sum; the first delivery is claimed even when it is larger. */
  readonly maxBytes: number
}

export interface Claimed {
  readonly dispatches: readonly Dispatch[]
  /** Subjects with a due notice and no channel that is known to work. */
  readonly stuck: readonly NoticeSubject[]
}

/** Effect of a settlement, for events and metrics. */
export type Settled = SettledDelivery | RevisionTold | { readonly kind: 'page'; readonly change: OncallChange }

/** A revision of a digest that the provider took. */
export interface RevisionTold {
  readonly kind: 'digest'
  readonly channel: ChannelName
  readonly way: Way
}

export interface SettledDelivery {
  readonly kind: 'delivery'
  readonly incidentId: string
  readonly title: string
  readonly severity: string
  /** Name of the destination; null for the default one. */
  readonly target: string | null
  /** Arrival of the incident, epoch milliseconds. */
  readonly createdAt: number
  /** Attempts made so far, those before a replay included. */
  readonly attempts: number
  readonly state: DeliveryState
  /** Number of the silence that held the incident; null: none did. */
  readonly silence: number | null
  /** Other than `pending`: this was the incident's last unfinished delivery. */
  readonly notifyStatus: NotifyStatus
}

/**
 * All that is to be sent: deliveries, notices, follow-ups, pages and digests. Claim leases dispatches to senders, settle records
 * how each ended, reclaim ends the leases of senders that died; `turn` does these three.
 *
 * Store thread. `nextDueAt` anywhere, the others inside a transaction only, which failures of the disk leave as
 * `storage_full` or `storage_down`.
 */
export interface OutboxPort {
  /**
   * Leases what is due to the destinations named, in order of rank, then of due time, then of commit. To a channel,
   * notices, follow-ups and digests go before deliveries. A notice goes through a channel that works, at most one about a channel in 15
   * minutes. Costs no query for a destination for which nothing is due.
   */
  claim(capacity: ReadonlyMap<Destination, Capacity>): Claimed
  /**
   * Records attempts and their verdicts. Returns undefined for a notice, a follow-up or a digest that is not told, and, counted, for a dispatch that
   * is not leased.
   */
  settle(settlements: readonly Settlement[]): readonly (Settled | undefined)[]
  /** After the senders died: makes pending again what they held, flagged `mayDuplicate`. Opening does so too. */
  reclaim(): void
  /**
   * Makes deliveries due now that were never tried and wait for a later turn: the rates that set the turn may have
   * changed.
   */
  makeDueNow(): void
  /** Concludes incidents of places that were told or are dead, at most 512. */
  windUp(): readonly Concluded[]
  /** Places untold incidents of destinations that failed for too long at their fallbacks, at most 512 for each. */
  failOver(): void
  /**
   * Returns the epoch milliseconds of the earliest pending dispatch for a destination, which may be past; Infinity when
   * there is none. `any`: of what needs no room, and of notices, which take any channel; one that found no free slot waits for that, not for a
   * time. O(1).
   */
  nextDueAt(destination: Destination | 'any'): number
}

/** An incident whose place in a digest was told. */
export interface Concluded {
  /** Number of the destination. */
  readonly code: number
  readonly severity: string
  readonly way: Way
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly toldAt: number
}
