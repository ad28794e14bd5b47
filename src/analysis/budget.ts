const HOUR_MS = 3_600_000

/** Calls of the last hour, at most so many: a sliding window. */
export class CallBudget {
  readonly #perHour: number
  /** Epoch milliseconds, oldest first. */
  #calls: number[]

  /** @param calls when earlier ones were made, as `calls` gave it */
  constructor(perHour: number, calls: readonly number[] = []) {
    this.#perHour = perHour
    this.#calls = [...calls].sort((a, b) => a - b)
  }

  /** False: the window is full. */
  tryUse(now: number): boolean {
    if (this.used(now) >= this.#perHour) return false
    this.#calls.push(now)
    return true
  }

  used(now: number): number {
    // A call from the future, after the clock was set back, counts until it is an hour old.
    this.#calls = this.#calls.filter((at) => at > now - HOUR_MS).slice(-this.#perHour)
    return this.#calls.length
  }

  get calls(): readonly number[] {
    return this.#calls
  }
}
