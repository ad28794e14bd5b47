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
