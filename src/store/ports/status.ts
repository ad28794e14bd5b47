import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { ChannelHealth } from './channels.ts'
import type { OncallCounters } from './oncall.ts'

/** Counts kept in memory; they equal a recount of the database. */
export interface StoreCounters {
  readonly incidents: number
  /** Part of `incidents`: in quarantine. Nothing is sent of them, and they count against no quota. */
  readonly quarantinedIncidents: number
  /** All deliveries ended, no signal for the pager waits, and no page is open. */
  readonly finishedIncidents: number
  /** Pending and sending. */
  readonly unfinishedDeliveries: number
  /** Settlements since opening of deliveries or pages that were not leased. */
  readonly unknownSettlements: number
  /** Upper bound of incidents that are not in the search index yet. */
  readonly unindexed: number
}

/** Snapshot of the store for the dashboard and metrics. */
export interface StoreState extends StoreCounters {
  readonly channels: { readonly [channel in ChannelName]: ChannelHealth }
  readonly oncall: OncallCounters
  /** Edits of messages that wait, for each channel that takes answers. */
  readonly answerEdits: readonly { readonly channel: ChannelName; readonly waiting: number }[]
  /**
   * Fingerprints whose latest incident (of the last 24 h, among the newest 1,000) is firing and neither acknowledged
   * nor resolved.
   */
  readonly unacknowledgedFiring: number
  /** Problems that fire. */
  readonly firingProblems: number
  /** Upper bound of applied incidents that the problems on disk lack. */
  readonly problemLag: number
  readonly databaseBytes: number
  readonly walBytes: number
}
