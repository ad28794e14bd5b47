import type { SharedNumbers } from './shared-numbers.ts'

/** A number in shared memory that only grows. One thread adds to it, any thread reads it. */
export class Counter {
  readonly #total: Float64Array

  constructor(numbers: SharedNumbers) {
    this.#total = numbers.allocate(1)
  }

  add(count = 1): void {
    this.#total[0] = this.value + count
  }

  get value(): number {
    return this.#total[0] ?? 0
  }
}

/** Counts by a key, of one thread. */
export class Tally<Key = string> extends Map<Key, number> {
  add(key: Key, count = 1): void {
    this.set(key, (this.get(key) ?? 0) + count)
  }
}

const BIN_MS = 1_000
const SECONDS = 5
/** One bin is being filled, `SECONDS` are complete, and one is cleared next and not read. */
const BINS = SECONDS + 2

/** A counter with its rate over the last five seconds. */
export class RateCounter extends Counter {
  /** A ring of bins, each with the count of one second. */
  readonly #counts: Float64Array
  /** The second of the epoch that each bin counts. */
  readonly #seconds: Float64Array
  readonly #now: () => number

  /** @param now epoch milliseconds; threads share that clock */
  constructor(numbers: SharedNumbers, now: () => number) {
    super(numbers)
    this.#counts = numbers.allocate(BINS)
    this.#seconds = numbers.allocate(BINS)
    this.#now = now
  }

  override add(count = 1): void {
    super.add(count)
    const second = Math.floor(this.#now() / BIN_MS)
    const at = second % BINS
    if (this.#seconds[at] !== second) {
      this.#counts[at] = 0
      this.#seconds[at] = second
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + count
  }

  /** Returns the rate over the last five complete seconds. */
  perSecond(): number {
    const second = Math.floor(this.#now() / BIN_MS)
    let sum = 0
    this.#counts.forEach((count, at) => {
      const age = second - (this.#seconds[at] ?? 0)
      if (age >= 1 && age <= SECONDS) sum += count
    })
    return sum / SECONDS
  }
}
