import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Load of a thread's event loop. */
export interface EventLoopReading {
  /** Share of the last 5 to 10 s in which the loop was busy, 0 to 1. */
  readonly utilization: number
  /** Delay of timers over the last 30 to 60 s. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
}

const RESOLUTION_MS = 20
const UTILIZATION_WINDOW_MS = 5_000
const LAG_WINDOW_MS = 30_000

/** Measures the event loop of its own thread. Any number of readers may share it. */
export class EventLoopMonitor {
  readonly #utilization = new OverlappingWindows(UTILIZATION_WINDOW_MS, () => performance.eventLoopUtilization())
  readonly #lag = new OverlappingWindows(LAG_WINDOW_MS, startMonitor, (monitor) => monitor.disable())

  read(): EventLoopReading {
    const since = this.#utilization.older()
    const { utilization } = performance.eventLoopUtilization(performance.eventLoopUtilization(), since)
    const delays = this.#lag.older()
    return { utilization, lagMs: { p50: lateMs(delays, 50), p99: lateMs(delays, 99), max: lateMs(delays, 100) } }
  }
}

/**
 * Two overlapping measurements. Readers get the older one, so no reading starts from zero; after a period the younger
 * replaces it.
 */
class OverlappingWindows<T> {
  readonly #periodMs: number
  readonly #start: () => T
  readonly #end: (old: T) => void
  #older: T
  #younger: T
  #youngerSince = performance.now()

  constructor(periodMs: number, start: () => T, end: (old: T) => void = () => {}) {
    this.#periodMs = periodMs
    this.#start = start
    this.#end = end
    this.#older = start()
    this.#younger = start()
  }

  older(): T {
    if (performance.now() - this.#youngerSince >= this.#periodMs) {
      this.#end(this.#older)
      this.#older = this.#younger
      this.#younger = this.#start()
      this.#youngerSince = performance.now()
    }
    return this.#older
  }
}

function startMonitor(): IntervalHistogram {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  monitor.enable()
  return monitor
}

/** Subtracts the monitor's own interval, which its records include. */
function lateMs(delays: IntervalHistogram, percentile: number): number {
  return delays.count === 0 ? 0 : Math.max(0, delays.percentile(percentile) / 1e6 - RESOLUTION_MS)
}
