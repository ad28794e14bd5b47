import { type Backoff, fullJitterMs } from './backoff.ts'
import type { Outcome } from './delivery.ts'

export interface RetryPolicy extends Backoff {
  /** Attempts in all before a delivery is dead. */
  readonly attempts: number
}

/** Verdict on a delivery after one attempt. */
type Verdict =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly delayMs: number }
  | { readonly state: 'dead'; readonly reason: string }

/**
 * Decides between retry and giving up. A provider's own delay is honoured even beyond `maxMs`, but bounded by an hour.
 * @param attempt 1-based number of the attempt that just ended
 * @param random uniform in [0, 1)
 */
export function decide(outcome: Outcome, attempt: number, policy: RetryPolicy, random: number): Verdict {
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent' }
    case 'gone':
      return { state: 'pending', delayMs: 0 }
    case 'failed':
      return { state: 'dead', reason: outcome.reason }
    case 'retry':
      if (attempt >= policy.attempts)
        return { state: 'dead', reason: `gave up after ${attempt} attempts: ${outcome.reason}` }
      return {
        state: 'pending',
        delayMs: Math.max(cappedRetryAfterMs(outcome.afterMs), fullJitterMs(attempt, policy, random)),
      }
    default:
      return outcome satisfies never
  }
}

const MAX_RETRY_AFTER_MS = 3_600_000
/** Returns a provider's own delay, bounded by an hour. */
export const cappedRetryAfterMs = (afterMs = 0) => Math.min(Math.max(0, afterMs), MAX_RETRY_AFTER_MS)
