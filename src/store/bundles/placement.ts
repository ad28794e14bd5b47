import { RANK, type Rank } from '../../domain/delivery/dispatch.ts'
import type { Priority } from '../../policy/decision.ts'
import type { TallyFacts } from './sums/tally.ts'

/** How a destination is told of an incident: by a message of its own, or by a revision of a bundle. */
export type Placement =
  | { readonly kind: 'single'; readonly rank: Rank }
  | { readonly kind: 'fold'; readonly bundle: number; readonly place: number }

/** A single under no storm rules. */
export const NORMAL_SINGLE: Placement = { kind: 'single', rank: RANK.normal }

/** An alert that is about to be placed under storm rules. */
export interface NewAlert extends TallyFacts {
  /** Its problem fires already. */
  readonly isRepeat?: boolean | undefined
  readonly priority: Priority
  readonly committedAt: number
}

/** The facts of an alert that its place depends on. */
export type TriedAlert = Pick<NewAlert, 'status' | 'priority' | 'severity' | 'isRepeat' | 'problem' | 'incident'>
