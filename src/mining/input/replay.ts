import type { Finding, Mode } from '../contract.ts'
import type { AnomalyDetector } from '../detect/anomaly-detector.ts'
import type { RawEvent } from '../sources/contract.ts'
import type { LinePipeline } from './line-pipeline.ts'
import type { TimeOf } from './timestamps.ts'

interface ReplayDeps {
  readonly detector: Pick<AnomalyDetector, 'closeTick' | 'services' | 'grace'>
  readonly pipeline: Pick<LinePipeline, 'process'>
  readonly timeOf: TimeOf
  readonly source: string
  readonly tickMs: number
  /** Lines per tick of a log without times. */
  readonly linesPerTick: number
  /** Called at the end of each tick with its findings. */
  found(findings: readonly Finding[], atMs: number): void
}

/** Most empty ticks between two lines; the rest of a longer gap is skipped. A day at 30 s per tick. */
const MAX_EMPTY_TICKS = 2_880

/**
 * Feeds a log file to the detector. The clock follows the times in the log's lines, so it runs as fast as it can read.
 */
export class Replay {
  readonly #deps: ReplayDeps
  /** Time of the last line; epoch milliseconds. */
  #now: number | undefined
  #tickEndsAt = 0
  #linesInTick = 0
  #mode: Mode | undefined
  #timed = 0
  firstMs: number | undefined
  ticks = 0
  lines = 0

  constructor(deps: ReplayDeps) {
    this.#deps = deps
  }

  get nowMs(): number {
    return this.#now ?? 0
  }

  /** Returns whether at least half of the lines had a time. */
  get timed(): boolean {
    return this.#timed * 2 >= this.lines
  }

  add(event: RawEvent, mode: Mode): void {
    if (mode !== this.#mode) this.#enterMode(mode)
    this.#advance(event.text, mode)
    this.#deps.pipeline.process(this.#deps.source, [event])
    this.lines++
    this.#linesInTick++
  }

  /** Closes the open tick. To be called after the last line. */
  finish(mode: Mode): void {
    if (this.#linesInTick > 0) this.#close(this.#tickEndsAt, mode)
  }

  /** Ends the grace period of all services when training ends: they are not new. */
  #enterMode(mode: Mode): void {
    const { detector } = this.#deps
    if (this.#mode === 'training') for (const { name } of detector.services()) detector.grace(name, 'end', this.nowMs)
    this.#mode = mode
  }

  #advance(text: string, mode: Mode): void {
    const { timeOf, tickMs, linesPerTick } = this.#deps
    const at = timeOf(text)
    if (at !== undefined) this.#timed++
    // A line without a time has that of the line before. The clock never runs backwards.
    const counted = this.#timed === 0 && this.#linesInTick >= linesPerTick
    const now = Math.max(this.#now ?? 0, at ?? (counted ? this.#tickEndsAt : (this.#now ?? 0)))
    if (this.firstMs === undefined || (this.firstMs === 0 && at !== undefined)) {
      this.firstMs = now
      this.#tickEndsAt = now + tickMs
    }
    this.#now = now
    for (let empty = 0; now >= this.#tickEndsAt; empty++) {
      if (empty > MAX_EMPTY_TICKS) this.#tickEndsAt = now + 1
      this.#close(this.#tickEndsAt, mode)
      this.#tickEndsAt += tickMs
    }
  }

  #close(atMs: number, mode: Mode): void {
    this.#deps.found(this.#deps.detector.closeTick(atMs, mode), atMs)
    this.ticks++
    this.#linesInTick = 0
  }
}
