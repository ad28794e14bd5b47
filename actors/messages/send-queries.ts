import type { DestinationState } from '../../src/channels/destination/throttle.ts'
import type { Attempt, ChannelName } from '../../src/domain/delivery.ts'
import type { RenderItem } from '../../src/render/pool/pool.ts'

/** Questions to the send thread, whose senders answer by their own names. */
export type SendQuery =
  | PreviewQuery
  /** `TemplateText[]` of all channels whose template can be read. */
  | { readonly kind: 'templates' }
  /** `SenderState[]` of the enabled channels. */
  | { readonly kind: 'senders' }
  | { readonly kind: 'pause'; readonly channel: ChannelName; readonly paused: boolean }
  /** A `TrialReport`. */
  | { readonly kind: 'trial'; readonly channel: ChannelName; readonly target?: string }

/** The message a channel would get. */
export interface PreviewQuery {
  readonly kind: 'preview'
  readonly channel: ChannelName
  readonly item: RenderItem
  /** In place of the text of the channel's own, in its dialect. */
  readonly template?: string
}

/** The template of a channel as it was read. */
export interface TemplateText {
  readonly channel: string
  readonly file: string
  readonly text: string
  /** Of the channel. */
  readonly enabled: boolean
}

/** What became of a message that proves a channel to its operator: no incident, no line in the ledger. */
export interface TestMessageReport extends Partial<Pick<Attempt, 'messageId' | 'renderFault'>> {
  readonly ok: boolean
  /** The provider's answer or the failure, scrubbed. */
  readonly detail: string
  readonly text: string
  readonly renderMs: number
  readonly limiterWaitMs: number
  readonly durationMs: number
}

/** One sender as it stands. */
export interface SenderState {
  readonly channel: ChannelName
  readonly mailbox: { readonly depth: number; readonly capacity: number }
  /** On the wire. */
  readonly sending: number
  readonly destinations: readonly DestinationState[]
}

/** Longest wait of a test message for the destination's rate, which deliveries may use up. */
export const TEST_RATE_WAIT_MS = 10_000
