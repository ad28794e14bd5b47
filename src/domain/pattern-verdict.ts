/**
 * Verdict on a log pattern:
 *
 * - `unknown`: reported. Becomes `known` in training, in a service's grace period or by its count, unless an operator
 *   set `unknown`.
 * - `known`: normal; reported only when it spikes. Changed by an operator only.
 * - `ignored`: never reported. Changed by an operator only.
 */
export const VERDICTS = ['known', 'unknown', 'ignored'] as const
export type Verdict = (typeof VERDICTS)[number]
