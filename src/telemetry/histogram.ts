import { SharedNumbers } from './shared-numbers.ts'

const STEPS = [1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9]

/** Bounds from 0.01 to 9,000,000, at most a sixth apart. 1, 2.5 and 5 of each decade are among them. */
const FINE = Array.from({ length: 9 }, (_, decade) => STEPS.map((step) => (step * 10 ** decade) / 100)).flat()

/** A histogram in shared memory. One thread records, any thread reads. */
export class Buckets {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** The count of each bucket, the count of larger values, and last the sum of all values. */
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

  get count(): number {
    return this.counts().reduce((sum, count) => sum + count, 0)
  }

  /** Returns a percentile (0 to 100), interpolated between bounds; the last bound for larger values, 0 without values. */
  percentile(percentile: number): number {
    const counts = [...this.counts()]
    const count = counts.reduce((sum, each) => sum + each, 0)
    return count === 0 ? 0 : valueAt((percentile / 100) * count, counts, this.bounds)
  }

  get sum(): number {
    return this.#cells[this.bounds.length + 1] ?? 0
  }

  /** Returns the count of each bucket; the last has no upper bound. */
  counts(): Float64Array {
    return this.#cells.subarray(0, this.bounds.length + 1)
  }
}

/** Room for all buckets of a histogram. */
const BUFFER_BYTES = 4_096

/** Returns a histogram of a thread that reads its own. */
export const ownBuckets = (): Buckets => new Buckets(new SharedNumbers(new SharedArrayBuffer(BUFFER_BYTES)))

const BIN_MS = 10_000
const BINS = 8
/** Bins that are read, the one being filled included. The other one is cleared next. */
const READ = 7

/** A histogram of all values since the start, and one of the last 60 to 70 s for percentiles. */
export class RecentHistogram {
  readonly total: Buckets
  /** A ring of bins, each with the values of ten seconds. */
  readonly #bins: readonly Buckets[]
  /** The ten seconds of the epoch that each bin holds. */
  readonly #periods: Float64Array
  readonly #now: () => number

  /** @param now epoch milliseconds; threads share that clock */
  constructor(numbers: SharedNumbers, now: () => number) {
    this.total = new Buckets(numbers)
    this.#bins = Array.from({ length: BINS }, () => new Buckets(numbers))
    this.#periods = numbers.allocate(BINS)
    this.#now = now
  }

  record(value: number): void {
    this.total.record(value)
    const period = Math.floor(this.#now() / BIN_MS)
    const at = period % BINS
    const bin = this.#bins[at] as Buckets
    if (this.#periods[at] !== period) {
      bin.clear()
      this.#periods[at] = period
    }
    bin.record(value)
  }

  /** Returns percentiles (0 to 100) of the last minute, interpolated between bounds; null without values. */
  percentiles<P extends number>(wanted: readonly P[]): { readonly [percentile in P]: number | null } {
    const merged = this.#merged()
    const count = merged.reduce((sum, each) => sum + each, 0)
    const of = (percentile: number) => (count === 0 ? null : valueAt((percentile / 100) * count, merged, FINE))
    return Object.fromEntries(wanted.map((percentile) => [percentile, of(percentile)])) as {
      [percentile in P]: number | null
    }
  }

  #merged(): number[] {
    const period = Math.floor(this.#now() / BIN_MS)
    const merged: number[] = new Array(FINE.length + 1).fill(0)
    this.#bins.forEach((bin, at) => {
      const age = period - (this.#periods[at] ?? 0)
      if (age < 0 || age >= READ) return
      bin.counts().forEach((count, bucket) => {
        merged[bucket] = (merged[bucket] ?? 0) + count
      })
    })
    return merged
  }
}

function valueAt(rank: number, counts: readonly number[], bounds: readonly number[]): number {
  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const [lower, upper] = [bounds[bucket - 1] ?? 0, bounds[bucket]]
      return upper === undefined ? lower : lower + ((upper - lower) * (rank - below)) / count
    }
    below += count
  }
  return bounds.at(-1) ?? 0
}
