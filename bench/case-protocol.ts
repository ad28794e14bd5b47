import type { Curve, Tables, TrialOptions } from './report.ts'

/** Instructions for the process of one case, as JSON in its only argument. */
export interface CaseRequest {
  /** URL of the trial's module. */
  readonly module: string
  /** Index of the case in `cases`. */
  readonly at: number
  readonly options: Pick<TrialOptions, 'quick' | 'scratch'>
}

/**
 * Messages of that process to its parent. The last one is `tables` or `failed`; a process that ends without either has
 * failed.
 */
export type CaseMessage =
  | { readonly kind: 'progress'; readonly what: string }
  | { readonly kind: 'curve'; readonly curve: Curve }
  | { readonly kind: 'tables'; readonly tables: Tables }
  | { readonly kind: 'failed'; readonly error: string }
