import type { Curve, Tables, TrialOptions } from './report.ts'

/** What the process of a case is told, as JSON in its only argument. */
export interface CaseRequest {
  /** Address of the trial's module. */
  readonly module: string
  /** Which of its cases. */
  readonly at: number
  readonly options: Pick<TrialOptions, 'quick' | 'data' | 'scratch'>
}

/** What it says. Tables, or that it failed, come last; a process that ends without either has failed. */
export type CaseMessage =
  | { readonly kind: 'progress'; readonly what: string }
  | { readonly kind: 'curve'; readonly curve: Curve }
  | { readonly kind: 'tables'; readonly tables: Tables }
  | { readonly kind: 'failed'; readonly error: string }
