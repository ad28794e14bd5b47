import type { OncallChange } from './oncall.ts'

/** unknown: no incident has the id. already: it was acknowledged before, and that stays. */
export type Acknowledgement =
  | { readonly kind: 'unknown' | 'already' }
  | { readonly kind: 'acknowledged'; readonly oncall: readonly OncallChange[] }
