import type { Attempt, ChannelName } from './delivery.ts'
import type { ErrorCode } from './errors.ts'
import type { Overrides, Recognized, Source } from './incident.ts'
import type { Notice } from './notice.ts'
import type { TopicOrigin } from './topic.ts'

/** An incident between recognition and its row in the database. */
export interface Draft extends Recognized {
  /** UUIDv7. */
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds of arrival. */
  readonly createdAt: number
  /** The JSON object as it arrived, UTF-8. */
  readonly content: Uint8Array
}

/** One request: all its incidents are committed, or none. */
export interface Submission {
  readonly drafts: readonly Draft[]
  /** Idempotency-Key; a submission with a key used within 24 h is a duplicate and commits nothing. */
  readonly key?: string
  readonly overrides?: Overrides
  /** Origin of a topic message; stored with its first incident. */
  readonly origin?: TopicOrigin
}

export type CommitResult =
  | { readonly kind: 'created' }
  /** `id`: first incident of the submission that used the key. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/**
 * A leased delivery, notice or follow-up on its way from storage to a sender, which returns exactly one settlement for
 * it.
 */
export interface Dispatch extends Omit<Draft, 'content'> {
  /** Storage's number of the incident, in order of commit. Negative for notices and follow-ups. */
  readonly incident: number
  readonly channel: ChannelName
  /** 1-based number of the attempt that is about to be made. */
  readonly attempt: number
  /** The outcome of an earlier attempt is unknown: the message may arrive twice. */
  readonly mayDuplicate: boolean
  readonly committedAt: number
  /** Time of the claim, epoch milliseconds. */
  readonly dispatchedAt: number
  /** Name of another destination of the channel. */
  readonly target?: string
  /** The provider's id of the firing message this one resolves. */
  readonly inReplyTo?: string
  readonly content: Uint8Array
  /** Content of a notice or follow-up, which is printed without a template. */
  readonly notice?: Notice
}

/** Result of a dispatch. */
export interface Settlement {
  readonly incident: number
  readonly channel: ChannelName
  /** Absent when nothing was attempted (`released`). */
  readonly attempt?: Attempt
  /** Text that was sent, for the ledger. */
  readonly text?: string
  readonly verdict:
    | { readonly state: 'sent' }
    | { readonly state: 'pending'; readonly at: number }
    | { readonly state: 'dead'; readonly reason: string }
    /** Given back untried (shutdown, paused channel): pending again at once, and no attempt is spent. */
    | { readonly state: 'released' }
}
