/** An alert on its way; `at` is the time of its arrival. */
export interface Alert {
  readonly at: number
  readonly urgent: boolean
  /** The bound of urgent alerts applies: it came in a storm and in no lasting flood of urgent ones. */
  readonly isBounded: boolean
}

/** Record of a simulated destination. Times are milliseconds. */
export class Report {
  /** Messages and edits that the provider took. */
  readonly sends: { readonly at: number; readonly what: 'single' | 'post' | 'edit'; readonly urgent: boolean }[] = []
  storms = 0
  arrived = 0
  told = 0
  /** Alerts of the digests, and of those told singly. */
  folded = 0
  singles = 0
  mostUntold = 0
  /** Longest time from arrival to the provider's answer, while the provider accepts. */
  worstMs = 0
  worstUrgentMs = 0
  /** The same for alerts that came before the end of an outage, from the first success after it. */
  worstAfterOutageMs = 0
  readonly #outageEndsAt: number
  #acceptsAgainAt = Infinity

  constructor(outageEndsAt = -Infinity) {
    this.#outageEndsAt = outageEndsAt
  }

  get posts(): number {
    return this.sends.filter(({ what }) => what !== 'edit').length
  }

  get edits(): number {
    return this.sends.length - this.posts
  }

  /** Most messages and edits within any 60 s from a time on. */
  busiestMinute(from = 0): number {
    const times = this.sends.map(({ at }) => at).filter((at) => at >= from)
    return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + 60_000).length))
  }

  succeeded(now: number): void {
    if (now >= this.#outageEndsAt) this.#acceptsAgainAt = Math.min(this.#acceptsAgainAt, now)
  }

  take({ at, urgent, isBounded }: Alert, now: number): void {
    this.told++
    if (this.#outageEndsAt > -Infinity && at <= this.#acceptsAgainAt) {
      this.worstAfterOutageMs = Math.max(this.worstAfterOutageMs, now - this.#acceptsAgainAt)
      return
    }
    this.worstMs = Math.max(this.worstMs, now - at)
    if (urgent && isBounded) this.worstUrgentMs = Math.max(this.worstUrgentMs, now - at)
  }
}
