import { visible } from '../text/visible.ts'

/** What a log file would have come to. */
export interface MineReport {
  readonly file: string
  readonly lines: number
  /** Those that a rule let through. */
  readonly learned: number
  readonly patterns: number
  readonly ticks: number
  readonly tick_s: number
  readonly learn_percent: number
  /** ISO 8601; null: the lines have no times. */
  readonly from: string | null
  readonly to: string | null
  readonly lines_per_s: number
  readonly raised: readonly {
    readonly at: string
    readonly verdict: string
    readonly phase: string
    readonly frequency: number
    readonly baseline: number
    /** The model would have been asked. */
    readonly asked: boolean
    readonly pattern_id: string
    readonly template: string
    readonly service: string
    readonly sample: string
  }[]
  readonly calls: number
  /** Would have been over the hourly limit. */
  readonly calls_refused: number
}

const MAX_PRINTED = 160

export function printReport(report: MineReport): void {
  const { lines, learned, patterns, ticks, tick_s, from, to, raised, calls, calls_refused } = report
  const span = from === null ? 'no times found in the lines' : `${from} to ${to}`
  console.log(`${lines} lines, ${span}; ${ticks} ticks of ${tick_s} s, ${report.lines_per_s} lines/s`)
  console.log(`${learned} lines learned, ${patterns} patterns; the first ${report.learn_percent} % held for normal`)
  for (const each of raised) {
    const often = `${each.frequency} lines, usually ${each.baseline.toFixed(1)}`
    const when = from === null ? '' : `${each.at}  `
    console.log(
      `\n${when}${each.verdict}${each.phase === 'renotified' ? ' (goes on)' : ''}  ${visible(each.service)}  ${often}`,
    )
    console.log(`  ${visible(each.template.slice(0, MAX_PRINTED))}`)
    if (each.sample !== '') console.log(`  e.g. ${visible(each.sample.slice(0, MAX_PRINTED)).split('\n', 1)[0]}`)
  }
  const refused = calls_refused > 0 ? ` (and ${calls_refused} more over the hourly limit)` : ''
  console.log(`\nincidents raised: ${raised.length}; calls of the model: ${calls}${refused}`)
  if (learned === 0) console.log('No line was learned: agent.regex lets none through. --all learns every line.')
}
