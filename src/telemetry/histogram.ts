import type { SharedNumbers } from './shared-numbers.ts'

const STEPS = [1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9]

/** 0.01 to 9,000,000 in steps of at most a sixth; 1, 2.5 and 5 of every decade are among them. */
const FINE = Array.from({ length: 9 }, (_, decade) => STEPS.map((step) => (step * 10 ** decade) / 100)).flat()

/** Counts values by size; one thread records. */
export class Buckets {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** One for each bound and one for what is larger; the sum of all values comes last. */
  readonly #cells: Float64Array

  constructor(numbers: SharedNumbers, bounds: readonly number[] = FINE) {
    this.bounds = bounds
    this.#cells = numbers.allocate(bounds.length + 2)
  }

  record(value: number): void {
    const { bounds } = this
    let [low, high] = [0, bounds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((bounds[middle] as number) < value) low = middle + 1
      else high = middle
    }
    this.#cells[low] = (this.#cells[low] ?? 0) + 1
    this.#cells[bounds.length + 1] = this.sum + value
  }

  clear(): void {
    this.#cells.fill(0)
  }

  get sum(): number {
    return this.#cells[this.bounds.length + 1] ?? 0
  }

  /** How many there are in each bucket, the one without a bound last. */
  counts(): Float64Array {
    return this.#cells.subarray(0, this.bounds.length + 1)
  }
}

const SLOT_MS = 10_000
const SLOTS = 8
/** Slots that are read, the one being filled among them; the rest is being cleared or was. */
const READ = 7

/** All values since the start, and percentiles of those of the last minute. */
export class RecentHistogram {
  readonly total: Buckets
  readonly #slots: readonly Buckets[]
  /** Which ten seconds of the epoch each slot holds. */
  readonly #periods: Float64Array
  readonly #now: () => number

  /** `now`: epoch milliseconds, the same clock on every thread. */
  constructor(numbers: SharedNumbers, now: () => number) {
    this.total = new Buckets(numbers)
    this.#slots = Array.from({ length: SLOTS }, () => new Buckets(numbers))
    this.#periods = numbers.allocate(SLOTS)
    this.#now = now
  }

  record(value: number): void {
    this.total.record(value)
    const period = Math.floor(this.#now() / SLOT_MS)
    const at = period % SLOTS
    const slot = this.#slots[at] as Buckets
    if (this.#periods[at] !== period) {
      slot.clear()
      this.#periods[at] = period
    }
    slot.record(value)
  }

  /** Each in 0 to 100; null while there is nothing to say. Between two bounds it is estimated. */
  percentiles<P extends number>(wanted: readonly P[]): { readonly [percentile in P]: number | null } {
    const merged = this.#merged()
    const count = merged.reduce((sum, each) => sum + each, 0)
    const of = (percentile: number) => (count === 0 ? null : valueAt((percentile / 100) * count, merged))
    return Object.fromEntries(wanted.map((percentile) => [percentile, of(percentile)])) as {
      [percentile in P]: number | null
    }
  }

  #merged(): number[] {
    const period = Math.floor(this.#now() / SLOT_MS)
    const merged: number[] = new Array(FINE.length + 1).fill(0)
    this.#slots.forEach((slot, at) => {
      const age = period - (this.#periods[at] ?? 0)
      if (age < 0 || age >= READ) return
      slot.counts().forEach((count, bucket) => {
        merged[bucket] = (merged[bucket] ?? 0) + count
      })
    })
    return merged
  }
}

function valueAt(rank: number, counts: readonly number[]): number {
  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const [lower, upper] = [FINE[bucket - 1] ?? 0, FINE[bucket]]
      return upper === undefined ? lower : lower + ((upper - lower) * (rank - below)) / count
    }
    below += count
  }
  return FINE.at(-1) ?? 0
}
