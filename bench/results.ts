import type { TrialResult } from './run-trial.ts'

/** The results of a run, as `--json` writes them. */
export interface Results {
  readonly machine: string
  readonly trials: { readonly [name: string]: TrialResult }
}
