/** How many log lines strangers can cause: some at once, then one every so often. */
export class LineBudget {
  readonly #burst: number
  readonly #everyMs: number
  #lines: number
  #at: number
  #unsaid = 0

  /** @param now milliseconds that only ever grow */
  constructor(burst: number, everyMs: number, now: number) {
    this.#burst = burst
    this.#everyMs = everyMs
    this.#lines = burst
    this.#at = now
  }

  /** Undefined: say nothing. Otherwise the number of lines that were left out since the last one. */
  take(now: number): number | undefined {
    this.#lines = Math.min(this.#burst, this.#lines + (now - this.#at) / this.#everyMs)
    this.#at = now
    if (this.#lines < 1) {
      this.#unsaid++
      return undefined
    }
    this.#lines--
    const unsaid = this.#unsaid
    this.#unsaid = 0
    return unsaid
  }
}
