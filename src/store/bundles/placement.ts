import { RANK, type Rank } from '../../domain/dispatch.ts'

/** How a destination is told of an incident: by a message of its own, or by a revision of a bundle. */
export type Placement =
  | { readonly kind: 'single'; readonly rank: Rank }
  | { readonly kind: 'fold'; readonly bundle: number; readonly place: number }

/** A single under no storm rules. */
export const NORMAL_SINGLE: Placement = { kind: 'single', rank: RANK.normal }
