/** An alert on its way; `at` is the time of its arrival. */
export interface Alert {
  readonly at: number
  readonly urgent: boolean
  /** The bound of urgent alerts applies: it came in a storm and in no lasting flood of urgent ones. */
  readonly isBounded: boolean
}

/** Record of a simulated destination. Times are milliseconds. */
export class Report {
  arrived = 0
  told = 0
  /** Alerts of the digests, and of those sent separately. */
  folded = 0
  singles = 0
  /** Longest time from arrival to the provider's answer. */
  worstMs = 0
  worstUrgentMs = 0

  take({ at, urgent, isBounded }: Alert, now: number): void {
    this.told++
    this.worstMs = Math.max(this.worstMs, now - at)
    if (urgent && isBounded) this.worstUrgentMs = Math.max(this.worstUrgentMs, now - at)
  }
}
