import type { Dispatch } from '../../domain/delivery/dispatch.ts'
import type { Draft, Submission } from '../../domain/incident.ts'
import type { OncallChange } from './oncall.ts'

/** Incidents of a frame, or of a part of it, in order and without gaps. */
interface Numbers {
  readonly first: number
  readonly last: number
}

/** Recognised incidents, ready to be applied. */
export interface ReadyEntry extends Numbers {
  readonly kind: 'ready'
  /** Epoch milliseconds. */
  readonly committedAt: number
  /** A request may be in two entries; its key and origin are with its first incident. */
  readonly submissions: readonly Submission[]
  /** Payloads of the incidents, one after another. */
  readonly contents: Uint8Array
  /** The frame that the incidents are in, among others perhaps; it is kept when the entry cannot be applied. */
  readonly frame: Uint8Array
}

/** Incidents that cannot be read or recognised; they go to quarantine. */
export interface UnreadableEntry extends Numbers {
  readonly kind: 'unreadable'
  readonly frame: Uint8Array
  readonly error: string
}

/** `skipped`: incidents that retention would delete at once, see `keeps`: nothing is stored of them. */
export type JournalEntry = ReadyEntry | UnreadableEntry | (Numbers & { readonly kind: 'skipped' })

/** Incidents that cannot be applied; they are on disk in the table `quarantine`. */
export interface Quarantined extends Numbers {
  readonly error: string
}

/** Incidents that were applied; final once the verb has returned. */
export interface Applied {
  /** Leased to their senders already. `content` is a view of the entry's contents, not a copy. */
  readonly dispatches: Dispatch[]
  readonly oncall: OncallChange[]
  /** New incidents, in the order of commit. */
  readonly drafts: Draft[]
  /** New incidents that a route sends to nobody. */
  nobody: number
  /** Milliseconds that routes and overrides took for all of them. */
  decideMs: number
  /** New incidents that a silence kept from a destination or from the pager. */
  silenced: number
}

/** Progress of the database, as `SharedProgress` publishes it. */
export interface ApplyProgress {
  /** Number of the last incident that is applied. */
  readonly applied: number
  /** Number of the last incident whose rows survive a power cut. */
  readonly released: number
  /** Deliveries and pages that are not finished. */
  readonly backlog: number
}

/** Incidents in quarantine, with the frame that they are in. */
export interface QuarantinedEntry extends Numbers {
  readonly frame: Uint8Array
}
