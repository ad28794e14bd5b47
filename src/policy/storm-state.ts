import type { Rank } from '../domain/dispatch.ts'
import type { Status } from '../domain/incident.ts'

/**
 * Storm rules of one destination: which alerts are messages of their own (singles) and which are told by the revisions
 * of a digest. States:
 *
 *     calm    every alert is a single; leaves to storm when `load` reaches `maxLoad`
 *     storm   most alerts are folded into the digest; leaves to calm with its summary, or when the provider refuses it
 *
 * `load` is the larger of two numbers: singles that are unfinished, which the destination has not taken, and `level`,
 * which its readers were just given. Times are epoch milliseconds. Everything is plain data of bounded size.
 */
export interface StormState {
  /** Leaky bucket: one more with each single, `readingPerSecond` fewer each second. */
  readonly level: number
  readonly levelAt: number
  /** Commit of the alert that last raised the level from zero: what was committed since belongs to the storm that follows. */
  readonly since: number
  /** Absent: calm. */
  readonly storm?: Storm
}

export interface Storm {
  readonly openedAt: number
  /** Places given in the digest; of these handed to the sender, and confirmed by the provider. Never fall. */
  readonly folded: number
  readonly handed: number
  readonly told: number
  /** Revisions that were told. */
  readonly revisions: number
  /** The revision that is with the sender. */
  readonly sending?: Sending
  /** An urgent alert was folded after the latest hand-out. */
  readonly urgent: boolean
  /** Next revision, if anything is untold. */
  readonly dueAt: number
  /** No hand-out before this time, because the provider or the backoff said so. */
  readonly notBefore: number
  readonly intervalMs: number
  readonly gapMs: number
  /** The latest revision with an urgent alert, the opening if there is none: the next one comes `gapMs` later. */
  readonly urgentAt: number
  /** The latest post, the opening if there is none. */
  readonly postedAt: number
  readonly posts: number
  /** A posted message stands, so that it can be edited. */
  readonly editable: boolean
  /** A post of the current revision may have arrived. */
  readonly mayRepeat: boolean
  /** Start of the hour that the two numbers below count in. */
  readonly hourAt: number
  readonly urgents: number
  readonly newcomers: number
  /** Leaky bucket of all arrivals: it is empty after a minute of little. */
  readonly inflow: number
  readonly inflowAt: number
  /** Storm rules were switched off: tell what is folded, then close. */
  readonly ending: boolean
}

export interface Sending {
  readonly way: Way
  readonly through: number
  readonly urgent: boolean
  readonly last: boolean
  /** Time of the hand-out. */
  readonly at: number
}

export type Way = 'post' | 'edit'

/** Singles of the destination that are not finished: pending or with the sender. */
export interface Unfinished {
  readonly singles: number
  /** Urgent ones among the singles. */
  readonly urgents: number
}

/** Facts of an alert that its place depends on. */
export interface Alert {
  readonly status: Status
  readonly priority: 'high' | 'normal' | 'low'
  /**
   * Its problem is unknown to the storm and was not told of in the ten minutes before it, or it is louder than all that the
   * storm knows of its problem.
   */
  readonly isNews: boolean
  /** It is resolved, and its problem was told singly. */
  readonly answersSingle: boolean
}

export type StormEvent =
  /** `committedAt`: at or before the time of the step. */
  | {
      readonly kind: 'arrived'
      readonly alert: Alert
      readonly unfinished: Unfinished
      readonly committedAt: number
    }
  /** The service started with more singles than the rules would have let wait. */
  | { readonly kind: 'found'; readonly unfinished: Unfinished }
  /** Pending singles that were not tried became places of the digest. */
  | { readonly kind: 'absorbed'; readonly count: number; readonly urgent: boolean }
  /** The sender has room: hands out a revision if one is due. */
  | { readonly kind: 'claimed'; readonly unfinished: Unfinished }
  | { readonly kind: 'settled'; readonly result: RevisionResult }
  /** The provider took a message after failures. */
  | { readonly kind: 'accepting' }
  /** Storm rules were switched off. */
  | { readonly kind: 'switched off' }
  /** The clock was set: durations stay. */
  | { readonly kind: 'clock moved'; readonly byMs: number }

/**
 * Outcome of a revision:
 *
 *     told      the provider took it; `editable`: it named the message, so that it can be edited
 *     pending   it is tried again from `at` on; `mayDuplicate`: it may have arrived
 *     gone      the message to be edited does not exist
 *     dead      the provider refused it for good, or every attempt failed
 */
export type RevisionResult =
  | { readonly state: 'told'; readonly editable: boolean }
  | { readonly state: 'pending'; readonly at: number; readonly mayDuplicate: boolean }
  | { readonly state: 'gone' }
  | { readonly state: 'dead' }

export type StormEffect =
  | { readonly kind: 'single'; readonly rank: Rank }
  | { readonly kind: 'fold' }
  /**
   * A digest begins. The problems that the destination was told of, or has waiting, are known to it. Pending singles
   * that were not tried become places of it, but for the oldest `keep`: answer with `absorbed`.
   */
  | { readonly kind: 'open'; readonly since: number; readonly keep: number }
  /** A revision for the sender, with the rank of a digest. It covers the places up to `through`. */
  | ({ readonly kind: 'hand out'; readonly revision: number; readonly mayRepeat: boolean } & Sending)
  /** The places up to `told` are told by this revision. */
  | { readonly kind: 'told'; readonly through: number; readonly revision: number }
  /** The digest is finished; `dead`: its places after `told` are dead. */
  | { readonly kind: 'close'; readonly dead: boolean }
