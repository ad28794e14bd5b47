import type { DetectorOptions } from '../../src/mining/contract.ts'
import { createAnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'
import { type Rate, rate } from '../rate.ts'
import { measure, type Row } from '../report.ts'
import { linesOf, systemsOf } from './systems.ts'

const OPTIONS: DetectorOptions = {
  miner: { maxPatterns: 10_000 },
  catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
  renotifyMs: 3_600_000,
  newServiceGraceMs: 0,
}

/**
 * Speed of the anomaly detector on the lines of all systems, beside the cost of splitting the same lines into words.
 */
export async function rowsOf(data: string, quick: boolean): Promise<Row[]> {
  const durationMs = quick ? 500 : 1_000
  const rows: Row[] = []
  for (const mode of ['raw', 'content'] as const) {
    const systems = systemsOf(data).map((source) => ({ source, lines: linesOf(data, source, mode) }))
    const lines = systems.reduce((sum, system) => sum + system.lines.length, 0)
    const detector = createAnomalyDetector(OPTIONS)
    const watchAll = () => {
      for (const { source, lines } of systems)
        for (const text of lines) detector.observe({ text, source, service: source, rule: '' }, 0)
      detector.closeTick(0, 'training')
      return lines
    }
    let words = 0
    const splitAll = () => {
      for (const { lines } of systems) for (const text of lines) words += text.split(' ').length
      return lines
    }
    const watched: Rate[] = []
    const split: Rate[] = []
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      watched.push(await rate(durationMs, watchAll))
      split.push(await rate(durationMs, splitAll))
    }
    rows.push({
      lines: mode,
      'lines/s, one thread': measure(
        watched.map(({ perSecond }) => perSecond),
        0,
      ),
      'lines per second of processor time': measure(
        watched.map(({ cpuMicros }) => 1e6 / cpuMicros),
        0,
      ),
      '% of splitting into words': measure(
        watched.map(({ cpuMicros }, at) => (100 * (split[at]?.cpuMicros ?? Number.NaN)) / cpuMicros),
        0,
      ),
      patterns: detector.counts().patterns,
    })
    if (words === 0) throw new Error('no words')
  }
  return rows
}
