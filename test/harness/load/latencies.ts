import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** Percentiles of every latency distribution. wrk reports none above 99.99, autocannon omits some. */
export const PERCENTILES = [0, 1, 10, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 100] as const

/** Milliseconds by percentile. */
export type LatencyCurve = readonly (readonly [percentile: number, ms: number])[]

const MICROS_PER_MS = 1_000
const MAX_MICROS = 3_600_000_000

/**
 * Latencies in milliseconds, to three digits: an HDR histogram of microseconds. Memory does not grow with their number.
 */
export class Latencies {
  readonly #micros: RecordableHistogram = createHistogram({ lowest: 1, highest: MAX_MICROS, figures: 3 })

  add(ms: number): void {
    this.#micros.record(Math.min(MAX_MICROS, Math.max(1, Math.round(ms * MICROS_PER_MS))))
  }

  get count(): number {
    return this.#micros.count
  }

  /** Milliseconds at a percentile; NaN while there are no latencies. */
  at(percentile: number): number {
    if (this.#micros.count === 0) return Number.NaN
    if (percentile === 0) return this.#micros.min / MICROS_PER_MS
    return this.#micros.percentile(percentile) / MICROS_PER_MS
  }

  /** Empty while there are no latencies. */
  curve(): LatencyCurve {
    return this.#micros.count === 0 ? [] : PERCENTILES.map((percentile) => [percentile, this.at(percentile)])
  }
}

/** Milliseconds at a percentile of `PERCENTILES`; NaN when the curve does not have it. */
export const msAt = (curve: LatencyCurve, percentile: number) =>
  curve.find(([at]) => at === percentile)?.[1] ?? Number.NaN
