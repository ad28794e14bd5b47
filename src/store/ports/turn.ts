import type { ChannelName, Destination } from '../../domain/delivery/delivery.ts'
import type { Settlement } from '../../domain/delivery/dispatch.ts'
import type { NoticeSubject } from '../../domain/delivery/notice.ts'
import type { Applied, ApplyProgress, JournalEntry, Quarantined } from './journal.ts'
import type { DigestChange } from './noise.ts'
import type { Capacity, Concluded, Settled } from './outbox.ts'
import type { SilenceEdge } from './silences.ts'

export interface Turn {
  readonly settlements: readonly Settlement[]
  /** The senders died: what they held and what is not settled here is due again, and may be sent twice. */
  readonly sendersLost: boolean
  /** Milliseconds by which the wall clock was set since the last turn; timers move with it. */
  readonly clockJumpMs: number
  /** In order; those that are applied already are left out. */
  readonly entries: readonly JournalEntry[]
  /** Room of the senders; destinations that are absent have none. */
  readonly capacity: ReadonlyMap<Destination, Capacity>
}

type ByChannel = { readonly [channel in ChannelName]?: number }

/** What happened since the last turn, also outside of turns; not on disk. */
export interface TurnNews {
  /** New places in digests, of repeats, of incidents of problems that flap, and of groups. */
  readonly folded: ByChannel
  readonly repeated: ByChannel
  readonly flapped: ByChannel
  readonly grouped: ByChannel
  /** New deliveries at fallbacks, by the channel that failed. */
  readonly fellBack: ByChannel
  /** Changes of digests, in order. */
  readonly digestChanges: readonly DigestChange[]
  /** Windows of silences that began or ended, in order. */
  readonly silenceEdges: readonly SilenceEdge[]
  /** Steps and acknowledgements of escalations, in order. */
  readonly runs: readonly RunNews[]
}

/** `lateMs`: how long after its due time the step asked; `tookMs`: from the beginning of the run to its first acknowledgement. */
export type RunNews =
  | { readonly kind: 'asked'; readonly lateMs: number }
  | { readonly kind: 'no_person' | 'floor' }
  | { readonly kind: 'acknowledged'; readonly tookMs: number }

export interface TurnResult extends Applied, ApplyProgress, TurnNews {
  /** Parallel to the settlements; undefined for what was not leased, and for notices, follow-ups, and digests that were not told. */
  readonly settled: readonly (Settled | undefined)[]
  readonly quarantined: readonly Quarantined[]
  /** Incidents whose places in digests were told. */
  readonly concluded: readonly Concluded[]
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
