import type { DispatchVerdict } from './delivery/delivery.ts'

/** Signals that a pager provider takes. */
export const SIGNALS = ['trigger', 'acknowledge', 'resolve'] as const
export type Signal = (typeof SIGNALS)[number]

/**
 * Phases of an incident that pages:
 *
 *     armed          its timer runs; leaves to paging, acknowledged, resolved, cancelled, held, joined
 *     paging         its page is due or on its way; leaves to paged, failed, acknowledged, resolved, cancelled
 *     paged          the provider took its page; leaves to acknowledged, resolved
 *     failed         its page is dead; leaves to acknowledged, resolved
 *     acknowledged   a person took the problem; leaves to resolved
 *     resolved       the problem is over
 *     cancelled      on-call was switched off before the page went out
 *     joined         another incident of its problem pages for it
 *     held           its timer waits for the end of a silence; leaves to armed with the full wait then, or as armed does
 */
export type Phase =
  | 'armed'
  | 'paging'
  | 'paged'
  | 'failed'
  | 'acknowledged'
  | 'resolved'
  | 'cancelled'
  | 'joined'
  | 'held'

/** Loudness and alerts that a page covers: a later incident within them joins it. */
export interface Covered {
  /** Loudest severity rank. */
  readonly level: number
  /** Fingerprints of the alerts of its group; null: unknown, or no group. */
  readonly members: readonly string[] | null
}

/** A page to come. Times are epoch milliseconds. */
export interface Timer extends Covered {
  readonly state: 'armed' | 'held'
  readonly incident: number
  readonly dueAt: number
  readonly waitMs: number
}

/** A page that was due, and what it stands for. */
export interface Stand extends Covered {
  readonly phase: 'paging' | 'paged' | 'failed' | 'acknowledged' | 'resolved'
  /** The latest incident that it was made for. */
  readonly incident: number
  /** Until when it stands for later incidents, epoch milliseconds: `STANDS_MS` after it was due. */
  readonly until: number
}

/** The next signal for the provider. */
interface NextSignal {
  readonly signal: Signal
  /** Earliest time, epoch milliseconds. */
  readonly at: number
  /** Attempts made for this signal. */
  readonly attempts: number
  /** in flight: leased to the pager, outcome unknown. */
  readonly state: 'waiting' | 'in flight'
}

/** A problem at one destination of the provider. A new one has no parts. */
export interface Page {
  /** Number of the problem. */
  readonly problem: number
  /** Name of the destination; empty: the provider's default one. */
  readonly target: string
  /** maybe: a trigger was sent and its outcome is unknown. */
  readonly providerKnows: 'no' | 'maybe' | 'yes'
  /** The provider that got the latest trigger. */
  readonly provider?: string | undefined
  readonly stand?: Stand | undefined
  readonly timer?: Timer | undefined
  /** Absent: no signal is left to send. */
  readonly next?: NextSignal | undefined
}

export type PageEvent =
  /** An incident gets a timer. One that runs takes the incident, and the earlier time. */
  | { readonly kind: 'armed' | 'held'; readonly timer: Omit<Timer, 'state'> }
  | { readonly kind: 'claimed'; readonly provider: string }
  | {
      readonly kind: 'settled'
      readonly verdict: DispatchVerdict
      readonly attempted: boolean
      readonly mayDuplicate: boolean
    }
  /** The pager died with the signal, so its outcome is unknown. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'resolved' }
  /** The problem is over, and may fire again at any time: what the provider or a person knows of stays. */
  | { readonly kind: 'flapped' }
  /** On-call was switched off: timers are cancelled. `isMute`: of other signals the provider gets only ends, when it is on again. */
  | { readonly kind: 'switched off'; readonly isMute: boolean }
  /** The configuration names another provider, which knows nothing. */
  | { readonly kind: 'provider changed' }
  /** A silence holds the timer from now on. */
  | { readonly kind: 'silenced' }
  /** The silence ended: the timer is due at `dueAt`, epoch milliseconds. */
  | { readonly kind: 'released'; readonly dueAt: number }

/** Actions that the live tail shows. */
export type OncallAction = Exclude<Phase, 'paging' | 'joined'>

export type Effect =
  /** `paged` may follow a later phase: the page was in flight when a person acknowledged. */
  | { readonly kind: 'announce'; readonly action: OncallAction }
  /** A signal is dead: a notice goes through the channels. */
  | { readonly kind: 'notice'; readonly signal: Signal; readonly reason: string }

/** A change of the page of one incident. */
export interface PageChange {
  readonly incident: number
  /** Absent: it is in the same one. */
  readonly phase?: Phase
  readonly effects: readonly Effect[]
}

/** A page stands for later incidents for so long after it was due. */
export const STANDS_MS = 4 * 3_600_000
