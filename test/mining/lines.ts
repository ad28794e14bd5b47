import type { AnomalyDetector, DetectorOptions, LogLine } from '../../src/mining/contract.ts'
import { Miner } from '../../src/mining/patterns/miner.ts'

/** A miner whose owner keeps nothing. */
export function bareMiner(maxPatterns = 1_000): Miner<undefined> {
  return new Miner(maxPatterns, { create: () => undefined, merged() {}, removed() {} })
}

/** The templates that lines end up under, in the order of their first lines. */
export function templatesOf(lines: readonly string[]): string[] {
  const miner = bareMiner()
  const ids = lines.map((line) => miner.observe(line, 'app').id)
  return [...new Set(ids.map((id) => miner.byId(id)?.template.text ?? 'gone'))]
}

export const HOUR_MS = 3_600_000
export const TICK_MS = 30_000

export const OPTIONS: DetectorOptions = {
  miner: { maxPatterns: 1_000 },
  catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
  renotifyMs: HOUR_MS,
  newServiceGraceMs: 0,
}

export function line(text: string, source = 'app', service = 'shop'): LogLine {
  return { text, source, service, rule: 'default' }
}

export function observeAll(detector: AnomalyDetector, lines: readonly string[], atMs = 0): string[] {
  return lines.map((text) => detector.observe(line(text), atMs).id)
}

/** Passes through a file, as patterns.json does. */
export function stored(detector: AnomalyDetector): ReturnType<AnomalyDetector['snapshot']> {
  return JSON.parse(JSON.stringify(detector.snapshot()))
}
