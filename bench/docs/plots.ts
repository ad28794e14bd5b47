import { barPlot, linePlot } from '../plots.ts'
import { isMeasure, type Row, type TableCell } from '../report.ts'
import type { TrialResult } from '../run-trial.ts'

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
  const peerOf = (row: Row) => peer.find((each) => each.connections === row.connections)
  return barPlot(
    {
      title: 'Accepted incidents per second',
      axes: 'by connections; 1 kB; Tocsin writes to disk, the others do not',
    },
    own.map(({ connections }) => number(connections).toLocaleString('en')),
    [
      { name: 'Tocsin', bars: own.map((row) => barOf(row['accepted/s'])) },
      { name: 'bare front', bars: own.map((row) => barOf(row['bare front/s'])) },
      { name: 'Alertmanager', bars: own.map((row) => barOf(peerOf(row)?.['Alertmanager/s'])) },
    ],
  )
}

/** Draws the latency of answers and of deliveries at each rate that was measured. */
export function latencyPlot({ tables }: TrialResult): string {
  const [rows = []] = Object.values(tables)
  const pointsOf = (column: string) => rows.map((row, at) => [at, number(row[column])] as const)
  return linePlot(
    {
      title: 'Milliseconds to the answer and to the delivery',
      axes: 'by incidents offered per second; 1 kB, one channel',
    },
    { places: rows.map((row) => number(row['offered/s']).toLocaleString('en')), log: true },
    [
      { name: 'answer p50', color: 0, dashed: true, points: pointsOf('answered p50') },
      { name: 'answer p99', color: 0, points: pointsOf('answered p99') },
      { name: 'delivery p50', color: 1, dashed: true, points: pointsOf('delivered p50') },
      { name: 'delivery p99', color: 1, points: pointsOf('delivered p99') },
    ],
  )
}

const isOfBody = (row: Row) => row['body kB'] === BODY_KB

const number = (cell: TableCell | undefined) =>
  isMeasure(cell) ? cell.median : typeof cell === 'number' ? cell : Number.NaN

const barOf = (cell: TableCell | undefined) => (isMeasure(cell) ? cell : undefined)
