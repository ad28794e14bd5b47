/** How many log lines strangers can cause: some at once, then one every so often. */
export class LogRateLimiter {
  readonly #burst: number
  readonly #everyMs: number
  #tokens: number
  #at: number
  #suppressed = 0

  /** @param now milliseconds that only ever grow */
  constructor(burst: number, everyMs: number, now: number) {
    this.#burst = burst
    this.#everyMs = everyMs
    this.#tokens = burst
    this.#at = now
  }

  /** Undefined: say nothing. Otherwise the number of lines that were left out since the last one. */
  take(now: number): number | undefined {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) / this.#everyMs)
    this.#at = now
    if (this.#tokens < 1) {
      this.#suppressed++
      return undefined
    }
    this.#tokens--
    const unsaid = this.#suppressed
    this.#suppressed = 0
    return unsaid
  }
}
