import { caseOf, columnsOf, goalRows, shown } from './markdown.ts'
import { barPlot, linePlot } from './plots.ts'
import { type Curve, isMeasure, type Row } from './report.ts'
import type { Results } from './results.ts'
import type { TrialResult } from './run-trial.ts'

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 24px; color: #1c2430; max-width: 1200px }
table { border-collapse: collapse } td, th { border: 1px solid #d9dee6; padding: 3px 8px; text-align: left }
.wide { overflow-x: auto; margin-bottom: 12px } .met { color: #1f6b45 } .missed, .failed { color: #b3261e }`
/** Percentile at which the largest sample is drawn. */
const MAX_PERCENTILE = 99.999
/** Least value on the logarithmic axis: load generators that count whole milliseconds report 0. */
const MIN_MS = 0.01

/** Returns the page of `--html`: all tables of a run, rates as bars, distributions as lines. It loads nothing. */
export function htmlReport({ machine, trials }: Results): string {
  const goals = Object.entries(trials).flatMap(([name, { tables }]) => goalRows(name, tables))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tocsin, measured</title>
<style>${STYLE}</style>
<h1>Tocsin, measured</h1>
<p>${escaped(machine)}</p>
<p>A figure is the median of its samples; in brackets, and as a whisker, the smallest and the largest.</p>
${goals.length > 0 ? `<h2>Goals</h2>\n${table(goals)}` : ''}
${Object.entries(trials)
  .map(([name, result]) => section(name, result))
  .join('\n')}
`
}

function section(name: string, result: TrialResult): string {
  const { at, commit, seconds, load, quick, tables, curves, leftOut, errors } = result
  const facts = `${at}, commit ${commit || 'unknown'}, ${seconds} s${quick ? ', short form' : ''}; load before: ${load}`
  return [
    `<h2>${escaped(name)}</h2>\n<p>${escaped(facts)}</p>`,
    ...errors.map((error) => `<p class="failed">failed: ${escaped(error)}</p>`),
    ...(leftOut === '' ? [] : [`<p>left out: ${escaped(leftOut)}</p>`]),
    ...Object.entries(tables).map(([title, rows]) => `<h3>${escaped(title)}</h3>\n${table(rows)}\n${rates(rows)}`),
    ...Array.from(
      Map.groupBy(curves, ({ plot }) => plot),
      ([title, drawn]) => distribution(title, drawn),
    ),
  ].join('\n')
}

function table(rows: readonly Row[]): string {
  const columns = columnsOf(rows)
  const cell = (text: string) => `<td class="${/\b(met|missed)$/.exec(text)?.[1] ?? ''}">${escaped(text)}</td>`
  const body = rows.map((row) => `<tr>${columns.map((column) => cell(shown(row[column] ?? ''))).join('')}</tr>`)
  const head = columns.map((column) => `<th>${escaped(column)}</th>`).join('')
  return `<div class="wide"><table><tr>${head}</tr>${body.join('\n')}</table></div>`
}

/** Draws the rates of a table as bars, one group for each row; '' when there are fewer than two. */
function rates(rows: readonly Row[]): string {
  const isRate = (column: string) =>
    /\/s\b/.test(column) && !column.startsWith('offered') && rows.some((row) => isMeasure(row[column]))
  const series = columnsOf(rows)
    .filter(isRate)
    .map((name) => ({ name, bars: rows.map((row) => (isMeasure(row[name]) ? row[name] : undefined)) }))
  if (series.length * rows.length < 2) return ''
  return barPlot(
    { title: '' },
    rows.map((row) => caseOf(row).join('\n')),
    series,
  )
}

/** Draws percentiles over nines (90 is 1, 99 is 2, 99.9 is 3) on a logarithmic axis, or values over seconds. */
function distribution(title: string, drawn: readonly Curve[]): string {
  const ofLatency = drawn[0]?.x === 'percentile'
  const nines = (percentile: number) => -Math.log10(1 - Math.min(percentile, MAX_PERCENTILE) / 100)
  return linePlot(
    { title, axes: ofLatency ? 'ms by nines of the percentile: 1 is p90, 2 is p99, 3 is p99.9' : 'by seconds' },
    { log: ofLatency },
    drawn.map(({ name, points }, color) => ({
      name,
      color,
      points: points.map(([x, y]) => (ofLatency ? [nines(x), Math.max(y, MIN_MS)] : [x, y])),
    })),
  )
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
