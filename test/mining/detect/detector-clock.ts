import assert from 'node:assert/strict'
import type { Finding, Mode } from '../../../src/mining/contract.ts'
import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { OPTIONS, observeAll, stored, TICK_MS } from '../lines.ts'

/**
 * A detector with a clock. Each call of `tick` is one tick with these lines; it returns the findings as `kind phase`.
 */
export class DetectorClock {
  nowMs = 0
  detector: AnomalyDetector
  last: Finding[] = []
  constructor(detector: AnomalyDetector = new AnomalyDetector(OPTIONS)) {
    this.detector = detector
  }
  tick(lines: readonly string[] = [], mode: Mode = 'detect', incompleteTick?: ReadonlySet<string>): string[] {
    observeAll(this.detector, lines, this.nowMs)
    this.nowMs += TICK_MS
    this.last = this.detector.closeTick(this.nowMs, mode, incompleteTick)
    return this.last.map(({ kind, phase }) => `${kind} ${phase}`)
  }
  /** Runs ticks without lines. */
  idle(durationMs: number): string[] {
    return Array.from({ length: durationMs / TICK_MS }, () => this.tick()).flat()
  }
  train(lines: readonly string[], ticks = 1): void {
    for (let n = 0; n < ticks; n++) this.tick(lines, 'training')
  }
  restart(): void {
    this.detector = new AnomalyDetector(OPTIONS, stored(this.detector))
  }
}

/** Returns lines that differ in a number. */
export const numberedLines = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text} ${n}`)
/** Returns the only pattern. */
export const only = (detector: AnomalyDetector) => {
  const [pattern, ...others] = detector.patterns()
  assert.ok(pattern)
  assert.equal(others.length, 0)
  return pattern
}
