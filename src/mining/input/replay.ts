import type { AnomalyDetector, Finding, Mode } from '../contract.ts'
import type { RawEvent } from '../sources/contract.ts'
import type { LinePipeline } from './line-pipeline.ts'
import type { TimeOf } from './timestamps.ts'

interface ReplayDeps {
  readonly detector: Pick<AnomalyDetector, 'closeTick' | 'services' | 'grace'>
  readonly pipeline: Pick<LinePipeline, 'process'>
  readonly timeOf: TimeOf
  readonly source: string
  readonly tickMs: number
  /** Of a log without times, so many lines are a tick. */
  readonly linesPerTick: number
  /** Told at the end of each tick; the findings of the tick. */
  found(findings: readonly Finding[], atMs: number): void
}

/** Longer gaps between two lines are cut: what was silent that long is silent. */
const MAX_EMPTY_TICKS = 2_880

/** A log fed to the agent on a clock that its own lines drive. */
export class Replay {
  readonly #deps: ReplayDeps
  /** Of the lines; epoch milliseconds. */
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

  /** Whether the lines had times; without, ticks are made of so many lines each. */
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

  /** The tick that is open at the end counts too. */
  finish(mode: Mode): void {
    if (this.#linesInTick > 0) this.#close(this.#tickEndsAt, mode)
  }

  /** A service that has been learned from is no new one. */
  #enterMode(mode: Mode): void {
    const { detector } = this.#deps
    if (this.#mode === 'training') for (const { name } of detector.services()) detector.grace(name, 'end', this.nowMs)
    this.#mode = mode
  }

  #advance(text: string, mode: Mode): void {
    const { timeOf, tickMs, linesPerTick } = this.#deps
    const at = timeOf(text)
    if (at !== undefined) this.#timed++
    // A line without a time belongs to the one before; times that run backwards stand still.
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
