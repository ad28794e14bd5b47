import { isMeasure, type Row, type TableCell } from '../report.ts'
import type { TrialResult } from '../run-trial.ts'
import { barPlot, linePlot } from './svg.ts'

/** Size of the incidents that the plots are about. */
const BODY_KB = 1
const PEER_TITLE = /Alertmanager/
const BY_THREAD = /, by thread/

/**
 * Draws accepted incidents per second by connections: the service, the bare front, and Alertmanager where it was
 * measured.
 */
export function ingestPlot({ tables }: TrialResult): string {
  const titles = Object.keys(tables)
  const rowsOf = (title: string | undefined) => (title === undefined ? [] : (tables[title] ?? [])).filter(isOfBody)
  const own = rowsOf(titles.find((title) => !PEER_TITLE.test(title) && !BY_THREAD.test(title)))
  const peer = rowsOf(titles.find((title) => PEER_TITLE.test(title)))
  const barsOf = (column: string) => own.map((row) => barOf(row[column]))
  const series = [
    { name: 'Tocsin', bars: barsOf('accepted/s') },
    { name: 'bare front', bars: barsOf('bare front/s') },
    {
      name: 'Alertmanager',
      bars: own.map((row) => barOf(peer.find((each) => each.connections === row.connections)?.['Alertmanager/s'])),
    },
  ]
  const most = Math.max(...series.flatMap(({ bars }) => bars.map((bar) => bar?.max ?? 0)))
  return barPlot(
    {
      title: 'Accepted incidents per second',
      axes: 'by connections; 1 kB; Tocsin writes to disk, the others do not',
      x: own.map(({ connections }) => number(connections).toLocaleString('en')),
    },
    series,
    linearTicks(most),
  )
}

/** Draws the latency of answers and of deliveries at each rate that was measured. */
export function latencyPlot({ tables }: TrialResult): string {
  const [rows = []] = Object.values(tables)
  const valuesOf = (column: string) => rows.map((row) => number(row[column]))
  const series = [
    { name: 'answer p50', color: 0, dashed: true, values: valuesOf('answered p50') },
    { name: 'answer p99', color: 0, dashed: false, values: valuesOf('answered p99') },
    { name: 'delivery p50', color: 1, dashed: true, values: valuesOf('delivered p50') },
    { name: 'delivery p99', color: 1, dashed: false, values: valuesOf('delivered p99') },
  ]
  return linePlot(
    {
      title: 'Milliseconds to the answer and to the delivery',
      axes: 'by incidents offered per second; 1 kB, one channel',
      x: rows.map((row) => number(row['offered/s']).toLocaleString('en')),
    },
    series,
    logTicks(series.flatMap(({ values }) => values)),
  )
}

const isOfBody = (row: Row) => row['body kB'] === BODY_KB

const number = (cell: TableCell | undefined) =>
  isMeasure(cell) ? cell.median : typeof cell === 'number' ? cell : Number.NaN

function barOf(cell: TableCell | undefined): { value: number; min: number; max: number } | undefined {
  return isMeasure(cell) ? { value: cell.median, min: cell.min, max: cell.max } : undefined
}

/**
 * From 0 in equal steps of 1, 2 or 5 times a power of ten, at most five, up to a tick that is not below the largest
 * value.
 */
function linearTicks(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.1, 0.2, 0.5, 1, 2].map((factor) => factor * power).find((each) => most / each <= 5) ?? power
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, nth) => nth * step)
}

/** 1, 3, 10, 30 and so on, from one that is not above the smallest value to one that is not below the largest. */
function logTicks(values: readonly number[]): number[] {
  const all = Array.from({ length: 12 }, (_, nth) => (nth % 2 === 0 ? 1 : 3) * 10 ** (Math.floor(nth / 2) - 2))
  const from = all.findLastIndex((tick) => tick <= Math.min(...values))
  const to = all.findIndex((tick) => tick >= Math.max(...values))
  return all.slice(Math.max(0, from), to + 1)
}
