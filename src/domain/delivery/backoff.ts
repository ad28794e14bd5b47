/**
 * Exponential backoff: `initialMs` after the first failure, doubled with each further one in a row, at most `maxMs`.
 */
export interface Backoff {
  readonly initialMs: number
  readonly maxMs: number
}

/** Returns the delay after the n-th failure in a row, counted from 1. */
export function backoffMs(failures: number, { initialMs, maxMs }: Backoff): number {
  return Math.min(maxMs, initialMs * 2 ** (failures - 1))
}

/**
 * Returns the delay with full jitter: uniform between 0 and `backoffMs` (AWS Architecture Blog, "Exponential Backoff
 * And Jitter", 2015).
 * @param random uniform in [0, 1)
 */
export function fullJitterMs(failures: number, backoff: Backoff, random: number): number {
  return Math.round(random * backoffMs(failures, backoff))
}
