import type { Settlement } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import type { NoticeSubject } from '../../domain/notice.ts'
import type { Page, PageSettlement } from '../../domain/oncall.ts'
import type { Applied, ApplyProgress, JournalEntry, Quarantined } from './journal.ts'
import type { Settled } from './outbox.ts'

/** Room of one sender. */
export interface Room {
  readonly slots: number
  /** The first payload goes even when it is larger. */
  readonly bytes: number
}

export interface Turn {
  readonly settlements: readonly Settlement[]
  readonly pageSettlements: readonly PageSettlement[]
  /** The senders died: what they held and what is not settled here is due again, and may be sent twice. */
  readonly sendersLost: boolean
  /** Milliseconds by which the wall clock was set since the last turn; timers move with it. */
  readonly clockJumpMs: number
  /** In order; those that are applied already are left out. Empty while `leftBehind` is not 0. */
  readonly entries: readonly JournalEntry[]
  /** Absent channels have no room. */
  readonly capacity: ReadonlyMap<ChannelName, Room>
  /** Free slots of the pager. */
  readonly pagerSlots: number
}

export interface TurnResult extends Applied, ApplyProgress {
  /** Parallel to the settlements; undefined for what was not leased, and for notices and follow-ups. */
  readonly settled: readonly (Settled | undefined)[]
  readonly pages: readonly Page[]
  readonly quarantined: readonly Quarantined[]
  /** Subjects with a due notice and no channel that is known to work. */
  readonly stuck: readonly NoticeSubject[]
}

/**
 * Settles, ends the leases of senders that died, applies, and leases what is due, in one transaction. A new delivery
 * goes to its sender at once when there is room and nothing older is due, so that none is overtaken.
 *
 * The result is on disk when something was settled or leased: then the transaction ends with an fsync. What was only
 * applied is repeated from the journal after a power cut; `released` says up to where that cannot happen.
 *
 * An entry that cannot be applied is moved to quarantine, and all else is done as if it had not been there. Store
 * thread. Throws `storage_full`, `storage_down`; then nothing has changed.
 */
export type TurnPort = (turn: Turn) => TurnResult
