import type { Attempt, ChannelName } from './delivery.ts'
import type { ErrorCode } from './errors.ts'
import type { Overrides, Recognized, Source } from './incident.ts'
import type { Notice } from './notice.ts'
import type { TopicOrigin } from './topic.ts'

/** An incident on its way to the disk. */
export interface Draft extends Recognized {
  /** UUIDv7. */
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds of arrival. */
  readonly createdAt: number
  /** The JSON object as it was sent, UTF-8. */
  readonly content: Uint8Array
}

/** What one request asks to commit: all of it or nothing. */
export interface Submission {
  readonly drafts: readonly Draft[]
  /** Idempotency-Key; the same key within 24 h commits nothing. */
  readonly key?: string
  readonly overrides?: Overrides
  /** Of a topic message; kept with its first incident. */
  readonly origin?: TopicOrigin
}

export type CommitResult =
  | { readonly kind: 'created' }
  /** `id`: first incident of the submission that used the key before. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/** A delivery handed from storage to its sender; the sender owes exactly one settlement for it. */
export interface Dispatch extends Omit<Draft, 'content'> {
  /** Storage's own number of the incident, in order of commit. */
  readonly incident: number
  readonly channel: ChannelName
  /** 1-based number of the attempt that is about to be made. */
  readonly attempt: number
  /** An earlier attempt's outcome is unknown. */
  readonly mayDuplicate: boolean
  readonly committedAt: number
  /** Epoch milliseconds; of this attempt. */
  readonly dispatchedAt: number
  /** Name of another destination of the channel. */
  readonly target?: string
  /** The provider's id of the firing message this one resolves. */
  readonly inReplyTo?: string
  readonly content: Uint8Array
  /** A message of the service's own: this is what it tells, no template prints it. */
  readonly notice?: Notice
}

/** How a hand-out ended. */
export interface Settlement {
  readonly incident: number
  readonly channel: ChannelName
  /** Absent when nothing was attempted (`returned`). */
  readonly attempt?: Attempt
  /** The text that was sent, kept for the record. */
  readonly text?: string
  readonly verdict:
    | { readonly state: 'sent' }
    | { readonly state: 'pending'; readonly at: number }
    | { readonly state: 'dead'; readonly reason: string }
    /** Given back untried (shutdown, paused channel): pending again at once, no attempt spent. */
    | { readonly state: 'released' }
}
