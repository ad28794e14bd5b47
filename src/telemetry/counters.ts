import type { SharedNumbers } from './shared-numbers.ts'

/** A number that only grows; one thread adds to it. */
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

const SLOT_MS = 1_000
const SECONDS = 5
/** The one being filled, those that are whole, and one that is not read while it is cleared. */
const SLOTS = SECONDS + 2

/** A counter that knows how fast it has grown of late. */
export class RateCounter extends Counter {
  readonly #counts: Float64Array
  /** Which second of the epoch each slot counts. */
  readonly #seconds: Float64Array
  readonly #now: () => number

  /** `now`: epoch milliseconds, the same clock on every thread. */
  constructor(numbers: SharedNumbers, now: () => number) {
    super(numbers)
    this.#counts = numbers.allocate(SLOTS)
    this.#seconds = numbers.allocate(SLOTS)
    this.#now = now
  }

  override add(count = 1): void {
    super.add(count)
    const second = Math.floor(this.#now() / SLOT_MS)
    const at = second % SLOTS
    if (this.#seconds[at] !== second) {
      this.#counts[at] = 0
      this.#seconds[at] = second
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + count
  }

  /** Over the last five whole seconds. */
  perSecond(): number {
    const second = Math.floor(this.#now() / SLOT_MS)
    let sum = 0
    this.#counts.forEach((count, at) => {
      const age = second - (this.#seconds[at] ?? 0)
      if (age >= 1 && age <= SECONDS) sum += count
    })
    return sum / SECONDS
  }
}
