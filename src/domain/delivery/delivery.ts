export const CHANNEL_NAMES = [
  'chatws',
  'msgapp',
  'messenger',
  'officechat',
  'workchat',
  'email',
  'console',
  'ntfy',
] as const
export type ChannelName = (typeof CHANNEL_NAMES)[number]

/** Destination of a dispatch: a channel, or the on-call provider. */
export const DESTINATIONS = [...CHANNEL_NAMES, 'oncall'] as const
export type Destination = (typeof DESTINATIONS)[number]

/**
 * States of a delivery:
 *
 *     pending   on disk, waits for its time and a free slot of its sender; leaves to sending, skipped
 *     sending   leased to its sender; leaves to sent, dead or pending, and to pending with `mayDuplicate` after a crash
 *     sent      confirmed by the provider; leaves to pending on resend
 *     dead      given up; leaves to pending on replay or resend
 *     folded    has a place in a digest; leaves to sent or dead with the digest, to skipped
 *     skipped   its channel was disabled before it was sent; leaves to pending on resend
 *     held      waits for the end of a silence; leaves to pending or folded then, to silenced, to skipped
 *     silenced  was not sent because of a silence: a newer incident of its problem is held, or the problem is resolved;
 *               leaves to pending on resend
 */
export const DELIVERY_STATES = ['pending', 'sending', 'sent', 'dead', 'skipped', 'folded', 'held', 'silenced'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * Ways in which an incident is notified:
 *
 *     message  by a message of its own
 *     digest   by a posted update of a digest
 *     edit     by an edited one
 */
export const TOLD_WAYS = ['message', 'digest', 'edit'] as const
export type ToldWay = (typeof TOLD_WAYS)[number]

/** Outcome of one attempt. The channel translates the provider's answer into it; `retry.ts` decides what follows. */
export type Outcome = Sent | Retry | Failed | Gone

interface Sent {
  readonly kind: 'sent'
  /** The provider's id of the message, for replies in its thread. */
  readonly messageId?: string
  /** A hint for the operator although the message went out, such as a refused recipient. */
  readonly note?: string
}
export interface Retry {
  readonly kind: 'retry'
  readonly reason: string
  /** Delay that the provider asked for, in milliseconds from now. */
  readonly afterMs?: number
  /** True when the request may have been processed although no answer came. */
  readonly mayDuplicate?: boolean
}
interface Failed {
  readonly kind: 'failed'
  readonly reason: string
}
/** The message of an edit does not exist any more, or cannot be edited any more: its text must be sent anew. */
interface Gone {
  readonly kind: 'gone'
  readonly reason: string
}

/** State of a dispatch after an outcome. */
export type DispatchVerdict =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly at: number }
  | { readonly state: 'dead'; readonly reason: string }
  /** Given back untried (shutdown, paused channel): pending again at once, and no attempt is spent. */
  | { readonly state: 'released' }

/** One row of the ledger. */
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
  /** Error of the template, when the message went out as plain text. */
  readonly renderFailure?: string
  /** Time of the claim for this attempt, epoch milliseconds. */
  readonly dispatchedAt: number
  /** Milliseconds of the stages before the request. */
  readonly renderMs: number
  readonly limiterWaitMs: number
  /**
   * Time until a connection stood. Absent when one was kept alive, when none was established, and where the channel
   * cannot tell.
   */
  readonly connectedMs?: number
}

/** The other destinations of a channel or on-call provider, as requests choose them. Plain data that crosses threads. */
export interface KnownTargets {
  /** Names in the configuration. */
  readonly names: readonly string[]
  /** Names by id or address at the provider, as `idForm` writes it; null: the default destination. Never secrets. */
  readonly ids: ReadonlyMap<string, string | null>
  /** Form of further ids that a request may name. Absent: only configured ones. */
  readonly accepts?: RegExp
}

/** Begins a target that is an id at the provider instead of a name. Names cannot hold a colon. */
const ID_PREFIX = 'id:'

export const idTarget = (id: string): string => ID_PREFIX + id

/** Returns the id that a target is; undefined for a name. */
export const idOfTarget = (target: string): string | undefined =>
  target.startsWith(ID_PREFIX) ? target.slice(ID_PREFIX.length) : undefined

/** Returns `chatws` for the default destination of a channel, `chatws:payments` for another one. */
export const destinationName = ({ channel, target }: DestinationPlace): string =>
  target ? `${channel}:${target}` : channel

interface DestinationPlace {
  readonly channel: string
  readonly target?: string | null | undefined
}

/** Returns mail addresses in the form in which they are compared. */
export const addressForm = (addresses: string): string => addresses.toLowerCase().replaceAll(/\s/g, '')
