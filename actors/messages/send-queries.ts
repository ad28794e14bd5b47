import type { Preview, TemplateText } from '../../src/api/templates.ts'
import type { DestinationState } from '../../src/channels/destination/throttle.ts'
import type { Attempt, ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { RenderItem } from '../../src/render/pool/pool.ts'

/** Questions to the send thread. All reject with `ask_timeout` or `peer_down`. */
export interface SendQueries {
  /**
   * Renders the message that a channel would send. `template` is a text in the channel's dialect, tried instead of the
   * channel's own template. Rejects with `template_invalid`.
   */
  preview(query: { readonly channel: ChannelName; readonly item: RenderItem; readonly template?: string }): Preview
  /** The templates of all channels whose template file can be read. */
  templates(): readonly TemplateText[]
  /** The state of every enabled channel's sender. */
  senders(): readonly SenderState[]
  /** The key of acknowledge links, where replicas share a database; undefined: none was made. Rejects with `storage_down`. */
  ackKey(): Uint8Array | undefined
  /** Makes the key that signs links when there is none. Throws storage_down. */
  openAckKey(): Uint8Array
  /** Pauses or resumes a sender. Does nothing for a channel that is not enabled. */
  pause(query: { readonly channel: ChannelName; readonly paused: boolean }): void
  /**
   * Sends a test message. Rejects with `bad_parameter` when the channel is not enabled or another test message is under
   * way.
   */
  testMessage(query: { readonly channel: ChannelName; readonly target?: string }): TestMessageReport
  /** Sends a test page to a person by a way that is no channel; a provider gets its end too. `name`: of the person. */
  testPage(query: { readonly way: TestedWay; readonly name: string }): TestPageReport
}

/** A way of a person that is no channel. */
type TestedWay =
  | { readonly kind: 'gateway'; readonly gateway: string; readonly to: string }
  | { readonly kind: 'provider'; readonly target: string }

/** Result of a test page. */
export interface TestPageReport extends Pick<TestMessageReport, 'ok' | 'detail' | 'durationMs'> {}

/** Result of a test message. There is no incident behind it and no entry in the ledger. */
export interface TestMessageReport extends Partial<Pick<Attempt, 'messageId' | 'renderFailure'>> {
  readonly ok: boolean
  /** The provider's answer or the failure, scrubbed of secrets. */
  readonly detail: string
  readonly text: string
  readonly renderMs: number
  readonly limiterWaitMs: number
  readonly durationMs: number
}

export interface SenderState {
  readonly channel: ChannelName
  readonly mailbox: { readonly depth: number; readonly capacity: number }
  /** Requests on the wire. */
  readonly sending: number
  readonly destinations: readonly DestinationState[]
}

/** Longest wait of a test message for the token bucket of its destination, which deliveries may have emptied. */
export const TEST_RATE_WAIT_MS = 10_000
