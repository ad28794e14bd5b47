/** Token bucket for log lines that any client can cause: `burst` lines at once, then one every `everyMs`. */
export class LogRateLimiter {
  readonly #burst: number
  readonly #everyMs: number
  #tokens: number
  #at: number
  #suppressed = 0

  /** @param now monotonic milliseconds */
  constructor(burst: number, everyMs: number, now: number) {
    this.#burst = burst
    this.#everyMs = everyMs
    this.#tokens = burst
    this.#at = now
  }

  /** Returns undefined if no line may be written, else the number of lines that were left out since the last one. */
  take(now: number): number | undefined {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) / this.#everyMs)
    this.#at = now
    if (this.#tokens < 1) {
      this.#suppressed++
      return undefined
    }
    this.#tokens--
    const suppressed = this.#suppressed
    this.#suppressed = 0
    return suppressed
  }
}
