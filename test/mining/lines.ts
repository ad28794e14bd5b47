import type { LogLine } from '../../src/mining/contract.ts'
import type { AnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'
import type { DetectorOptions } from '../../src/mining/options.ts'
import { Miner } from '../../src/mining/patterns/miner.ts'

/** Creates a miner without state beside the templates. */
export function bareMiner(maxPatterns = 1_000): Miner<undefined> {
  return new Miner(maxPatterns, { create: () => undefined, merged() {}, removed() {} })
}

/** Returns the templates that the lines end up with, in the order of their first lines. */
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

/** Returns the snapshot as it would be read back from patterns.json. */
export function stored(detector: AnomalyDetector): ReturnType<AnomalyDetector['snapshot']> {
  return JSON.parse(JSON.stringify(detector.snapshot()))
}
