import type { Finding } from '../mining/contract.ts'
import { isoTime } from '../text/iso-time.ts'
import { visible } from '../text/visible.ts'

/** The result of `tocsin mine`: what the agent would have raised over a log file. */
export interface MineReport {
  readonly file: string
  readonly lines: number
  /** Lines that passed `agent.regex`. */
  readonly learned: number
  readonly patterns: number
  readonly ticks: number
  readonly tick_s: number
  readonly learn_percent: number
  /** ISO 8601; null when the lines have no times. */
  readonly from: string | null
  readonly to: string | null
  readonly lines_per_s: number
  readonly raised: readonly ReturnType<typeof raisedIncident>[]
  readonly calls: number
  /** Calls that the hourly quota would have refused. */
  readonly calls_refused: number
}

/** @param asked the model would have been called */
export function raisedIncident(
  { kind: verdict, phase, pattern, samples, frequency, baseline }: Finding,
  atMs: number,
  asked: boolean,
) {
  const { id: pattern_id, template, service } = pattern
  const sample = samples[0] ?? ''
  return { at: isoTime(atMs), verdict, phase, frequency, baseline, asked, pattern_id, template, service, sample }
}

const MAX_PRINTED = 160

export function printReport(report: MineReport): void {
  const { lines, learned, patterns, ticks, tick_s, from, to, raised, calls, calls_refused } = report
  const span = from === null ? 'no times found in the lines' : `${from} to ${to}`
  console.log(`${lines} lines, ${span}; ${ticks} ticks of ${tick_s} s, ${report.lines_per_s} lines/s`)
  console.log(
    `${learned} lines learned, ${patterns} patterns; the first ${report.learn_percent} % were learned as normal`,
  )
  for (const each of raised) {
    const often = `${each.frequency} lines, usually ${each.baseline.toFixed(1)}`
    const when = from === null ? '' : `${each.at}  `
    console.log(
      `\n${when}${each.verdict}${each.phase === 'renotified' ? ' (goes on)' : ''}  ${visible(each.service)}  ${often}`,
    )
    console.log(`  ${visible(each.template.slice(0, MAX_PRINTED))}`)
    if (each.sample !== '') console.log(`  e.g. ${visible(each.sample.slice(0, MAX_PRINTED)).split('\n', 1)[0]}`)
  }
  const refused = calls_refused > 0 ? ` (and ${calls_refused} more beyond the hourly quota)` : ''
  console.log(`\nincidents raised: ${raised.length}; calls of the model: ${calls}${refused}`)
  if (learned === 0) console.log('No line was learned: none passes agent.regex. --all learns every line.')
}
