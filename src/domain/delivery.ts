export const CHANNEL_NAMES = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email', 'console'] as const
export type ChannelName = (typeof CHANNEL_NAMES)[number]

/**
 * pending: on disk, waiting for its time and a free place at its sender. sending: handed out. sent, dead, skipped:
 * finished. A delivery found `sending` after a crash goes back to `pending` with `mayDuplicate`.
 */
export const DELIVERY_STATES = ['pending', 'sending', 'sent', 'dead', 'skipped'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What one attempt came to; the channel translates the provider's answer, `retry.ts` decides what follows. */
export type Outcome = Sent | Retry | Failed

interface Sent {
  readonly kind: 'sent'
  /** The provider's id of the message, kept for threading. */
  readonly messageId?: string
  /** Something a person should know although it went out (a refused recipient, a moved chat). */
  readonly note?: string
}
export interface Retry {
  readonly kind: 'retry'
  readonly reason: string
  /** The provider's own word on when to come back, in milliseconds from now. */
  readonly afterMs?: number
  /** The request may have been processed although no answer came. */
  readonly mayDuplicate?: boolean
}
interface Failed {
  readonly kind: 'failed'
  readonly reason: string
}

/** One line of the ledger. */
export interface Attempt {
  /** 1-based. */
  readonly number: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: Outcome['kind']
  /** The provider's answer or the failure, scrubbed of secrets; at most 500 characters. */
  readonly detail: string
  readonly messageId?: string
  readonly mayDuplicate: boolean
  /** A template fault that made this attempt go out as plain text. */
  readonly renderFault?: string
  /** When storage handed the delivery out for this attempt, epoch milliseconds. */
  readonly dispatchedAt: number
  /** Milliseconds of the stages before the wire. */
  readonly renderMs: number
  readonly limiterWaitMs: number
  /**
   * From the start until a connection stood; absent when one was kept alive, when none came to stand, and where the
   * channel cannot tell.
   */
  readonly connectedMs?: number
}
