import assert from 'node:assert/strict'
import type { Finding, Mode, Watch } from '../../../src/mining/contract.ts'
import { createWatch } from '../../../src/mining/detect/anomaly-detector.ts'
import { OPTIONS, observeAll, stored, TICK_MS } from '../lines.ts'

/** A watch with a clock: each call is a tick with these lines, and gives what was found as `kind phase`. */
export class Clock {
  nowMs = 0
  watch: Watch
  last: Finding[] = []
  constructor(watch: Watch = createWatch(OPTIONS)) {
    this.watch = watch
  }
  tick(lines: readonly string[] = [], mode: Mode = 'detect', uneven?: ReadonlySet<string>): string[] {
    observeAll(this.watch, lines, this.nowMs)
    this.nowMs += TICK_MS
    this.last = this.watch.closeTick(this.nowMs, mode, uneven)
    return this.last.map(({ kind, phase }) => `${kind} ${phase}`)
  }
  /** Empty ticks. */
  idle(durationMs: number): string[] {
    return Array.from({ length: durationMs / TICK_MS }, () => this.tick()).flat()
  }
  train(lines: readonly string[], ticks = 1): void {
    for (let n = 0; n < ticks; n++) this.tick(lines, 'training')
  }
  restart(): void {
    this.watch = createWatch(OPTIONS, stored(this.watch))
  }
}

/** Lines that differ in a number. */
export const times = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text} ${n}`)
/** The pattern, where there is but one. */
export const only = (watch: Watch) => {
  const [pattern, ...others] = watch.patterns()
  assert.ok(pattern)
  assert.equal(others.length, 0)
  return pattern
}
