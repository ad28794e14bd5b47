import type { CommitResult, Draft } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import type { MessageDispatch } from '../../domain/dispatch.ts'
import type { PackedSubmissions } from '../journal/codec.ts'
import type { OncallChange } from './oncall.ts'

/** Reserves a free slot at the channel's sender for a payload of `bytes`; false when the sender has none. */
export type Reserve = (channel: ChannelName, bytes: number) => boolean

/** A journal entry that cannot be applied; it is on disk in the table `quarantine`. */
export interface Quarantined {
  /** Number of its first incident, and key of its row. */
  readonly first: number
  /** 1 when the number of incidents is lost with the payloads. */
  readonly incidents: number
  /** Message of the error that applying threw. */
  readonly error: string
}

/** Result of applying entries; final once `write` has returned. */
export interface Applied {
  /** Leased to their senders already. `content` is a view of the batch's payloads, not a copy. */
  readonly dispatches: readonly MessageDispatch[]
  readonly oncall: readonly OncallChange[]
  /** New incidents, in the order of commit. */
  readonly drafts: readonly Draft[]
}

/**
 * The write-ahead journal: submissions are committed by `append` and become incidents, deliveries and timers by
 * `apply`.
 *
 * Store thread. `append` and `apply` inside `write` only; failures of the disk leave `write` as `storage_full` or
 * `storage_down`.
 */
export interface JournalPort {
  /**
   * Appends submissions, each whole or not at all. Results are parallel to the submissions: created, duplicate (by
   * idempotency key), or refused with `backlog_full` or `storage_down`. Returns undefined when all are created. Until
   * they are applied, they count against the quota, nothing is sent of them, and no list or search shows them.
   */
  append(packed: PackedSubmissions): readonly CommitResult[] | undefined
  /**
   * Applies the oldest entries until `incidents` are done or none is left; entries are applied whole, so it may be
   * more. `reserve` is asked for each new delivery, but not while older deliveries of the channel are due, so that none
   * is overtaken.
   */
  apply(incidents: number, reserve: Reserve): Applied
  /** Incidents that are committed and not applied. O(1), in or outside of `write`. */
  unapplied(): number
}
