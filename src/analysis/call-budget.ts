const HOUR_MS = 3_600_000

/** Limits calls per hour (sliding window). */
export class CallBudget {
  readonly #perHour: number
  /** Epoch milliseconds, oldest first. */
  #calls: number[]

  /** @param calls times of earlier calls, from `calls` */
  constructor(perHour: number, calls: readonly number[] = []) {
    this.#perHour = perHour
    this.#calls = [...calls].sort((a, b) => a - b)
  }

  /** Counts a call. Returns false, without counting, when the limit is reached. */
  tryUse(now: number): boolean {
    if (this.used(now) >= this.#perHour) return false
    this.#calls.push(now)
    return true
  }

  /** Returns the number of calls within the last hour. */
  used(now: number): number {
    // A call in the future, after the clock was set back, counts until it is an hour old.
    this.#calls = this.#calls.filter((at) => at > now - HOUR_MS).slice(-this.#perHour)
    return this.#calls.length
  }

  get calls(): readonly number[] {
    return this.#calls
  }
}
