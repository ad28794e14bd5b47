import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { Curve } from '../../../bench/report.ts'

/** Those that are asked of every distribution. wrk knows none beyond 99.99, autocannon leaves some out. */
export const PERCENTILES = [0, 1, 10, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 100] as const

const MICROS_PER_MS = 1_000
const LONGEST_MICROS = 3_600_000_000

/** Latencies in milliseconds with three digits, however many: an HDR histogram of microseconds. */
export class Latencies {
  readonly #micros: RecordableHistogram = createHistogram({ lowest: 1, highest: LONGEST_MICROS, figures: 3 })

  add(ms: number): void {
    this.#micros.record(Math.min(LONGEST_MICROS, Math.max(1, Math.round(ms * MICROS_PER_MS))))
  }

  get count(): number {
    return this.#micros.count
  }

  /** Milliseconds. */
  at(percentile: number): number {
    if (this.#micros.count === 0) return Number.NaN
    if (percentile === 0) return this.#micros.min / MICROS_PER_MS
    return this.#micros.percentile(percentile) / MICROS_PER_MS
  }

  /** Empty while there are none. */
  curve(): Curve['points'] {
    return this.#micros.count === 0 ? [] : PERCENTILES.map((percentile) => [percentile, this.at(percentile)])
  }
}

/** Milliseconds at a percentile that a curve has; of one that is empty, none. */
export const msAt = (curve: Curve['points'], percentile: number) =>
  curve.find(([at]) => at === percentile)?.[1] ?? Number.NaN
