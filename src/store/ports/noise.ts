import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { Way } from '../../policy/bundles/bundle-state.ts'
import type { Decision, Priority } from '../../policy/decision.ts'
import type { FlapFacts, News } from '../../policy/repeat.ts'

/** Number of incidents that a rule matched. */
export interface RuleHits {
  readonly name: string
  readonly hits: number
  /** Epoch milliseconds. */
  readonly lastAt: number
}

export interface RouteHits {
  /** Rules that matched, of this configuration and of those of the last year. */
  readonly rules: readonly RuleHits[]
  /** Incidents that no rule matched. */
  readonly unmatched: number
}

/** Decision about one incident, made when it was applied. */
export interface Decided {
  /** Undefined: no rule matched, or there were none. */
  readonly decision: Decision | undefined
  /** Query parameters of its request, as JSON; undefined: none. */
  readonly overrides: string | undefined
  /** The idempotency key that leads to the incident; undefined: none of the last 24 h does. */
  readonly key: string | undefined
}

/** One destination of an enabled channel. Times are epoch milliseconds. */
export interface DestinationState {
  readonly channel: ChannelName
  /** null: the channel's default one. */
  readonly target: string | null
  /** Number of the open digest and when its storm began; null: calm. */
  readonly storm: { readonly digest: number; readonly since: number } | null
  readonly load: number
  /** Load from which on there is a storm; null: never. */
  readonly maxLoad: number | null
  /** Messages about one incident that are not finished. */
  readonly unfinished: number
  /** Incidents with a place in a digest that no confirmed revision covers. */
  readonly untold: number
  /** Commit of the oldest of these; null: there is none. */
  readonly untoldSince: number | null
  /** Incidents since opening, in messages of their own and in digests; null: not counted, because it never has a digest. */
  readonly arrived: number | null
  readonly nextRevisionAt: number | null
  /** Longest time from commit to the provider's confirmation while it accepts; null: without a bound. */
  readonly boundMs: number | null
}

export interface BoundedDestination {
  readonly channel: ChannelName
  readonly boundMs: number | undefined
}

/** An incident that is not stored. */
export interface RepeatTrial extends Omit<FlapFacts, 'committedAt'> {
  readonly fingerprint: string
  readonly destinations: readonly { readonly channel: ChannelName; readonly target?: string | undefined }[]
  /** Undefined: it does not page. */
  readonly page: Decision['page']
  /** Absent: that of its severity. */
  readonly priority?: Priority
  /** Undefined: it is in no group. */
  readonly group?: { readonly key: string; readonly priority: Priority } | undefined
}

/**
 * How a destination would be told: by a place beside the message of the problem, or by a message. `digest` undefined: it
 * would begin one. `not told`: of the problem; `closed`: a storm, or too many untold repeats.
 */
export type TriedDestination =
  | {
      readonly kind: 'fold'
      readonly digest: number | undefined
      readonly place: number
      /** It is the digest of its group. */
      readonly inGroup?: boolean
    }
  | { readonly kind: 'message'; readonly because: News | 'not told' | 'closed' | 'louder than its group' }

export interface TriedRepeat {
  /** Epoch milliseconds; undefined: its problem does not fire. */
  readonly firingSince: number | undefined
  /** Its problem flaps, or begins to. */
  readonly isFlapping: boolean
  /** In the order of the trial. */
  readonly destinations: readonly TriedDestination[]
  /** Another incident pages for it, or a person has acknowledged its problem. */
  readonly joins: boolean
}

/** Snapshot for metrics. */
export interface NoiseState {
  readonly destinations: readonly DestinationState[]
  /** Digests since the database was made. */
  readonly digests: number
  /** Incidents that each rule matched, by its name. */
  readonly ruleHits: readonly RuleHits[]
}

/** A digest was opened, a revision of it was told, or its storm is over. */
export interface DigestChange {
  readonly digest: number
  readonly channel: ChannelName
  /** Undefined: the channel's default destination. */
  readonly target: string | undefined
  /** `dead`: the provider refused it for good. */
  readonly action: 'opened' | 'told' | 'over' | 'dead'
  /** Number and way of the revision; undefined unless told. */
  readonly revision?: { readonly number: number; readonly way: Way }
  /** Incidents with a place in it, and those that a confirmed revision covers. */
  readonly folded: number
  readonly told: number
}
