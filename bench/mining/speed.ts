import type { WatchOptions } from '../../src/mining/contract.ts'
import { createWatch } from '../../src/mining/watch.ts'
import { rate } from '../rate.ts'
import type { Row } from '../report.ts'
import { linesOf, systemsOf } from './systems.ts'

const OPTIONS: WatchOptions = {
  miner: { maxPatterns: 10_000 },
  catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
  renotifyMs: 3_600_000,
  newServiceGraceMs: 0,
}

/** Lines of all systems in one watch, over and over; beside it what splitting them into words costs. */
export async function rowsOf(data: string, quick: boolean): Promise<Row[]> {
  const durationMs = quick ? 500 : 3_000
  const rows: Row[] = []
  for (const mode of ['raw', 'content'] as const) {
    const systems = systemsOf(data).map((source) => ({ source, lines: linesOf(data, source, mode) }))
    const lines = systems.reduce((sum, system) => sum + system.lines.length, 0)
    const watch = createWatch(OPTIONS)
    const watched = await rate(durationMs, () => {
      for (const { source, lines } of systems)
        for (const text of lines) watch.observe({ text, source, service: source, rule: '' }, 0)
      watch.closeTick(0, 'training')
      return lines
    })
    let words = 0
    const split = await rate(durationMs, () => {
      for (const { lines } of systems) for (const text of lines) words += text.split(' ').length
      return lines
    })
    rows.push({
      lines: mode,
      'lines/s, one thread': Math.round(watched.perSecond),
      'lines per second of processor time': Math.round(1e6 / watched.cpuMicros),
      'of splitting into words': `${Math.round((100 * split.cpuMicros) / watched.cpuMicros)} %`,
      patterns: watch.counts().patterns,
    })
    if (words === 0) throw new Error('no words')
  }
  return rows
}
