import uPlot from 'uplot'
import { caseOf, columnsOf } from '../markdown.ts'
import { isMeasure, type Row, type TableCell } from '../report.ts'
import { COLORS, WIDTH } from './colors.ts'

const HEIGHT = 260
const GAP = 1
const WHISKER = 4
const LABEL_LENGTH = 24
const GROUP_WIDTH = 150
const MOST_WIDTH = 1_160

/**
 * Draws the rates of a table as bars, one group for each row, with the spread of the samples. Returns undefined when
 * there are fewer than two.
 */
export function bars(rows: readonly Row[]): HTMLElement | undefined {
  const columns = columnsOf(rows).filter((column) => isRate(column, rows))
  if (columns.length * rows.length < 2) return undefined
  const step = columns.length + GAP
  const places = rows.flatMap((_, at) => columns.map((_, nth) => at * step + nth))
  const series = columns.map((column, nth) =>
    rows.flatMap((row) => columns.map((_, each) => (each === nth ? middle(row[column]) : null))),
  )
  const drawn = uPlot.paths.bars?.({ size: [0.85, 70] })
  const paths = drawn ? { paths: drawn } : {}
  const holder = document.createElement('div')
  const middleOf = (at: number) => at * step + (columns.length - 1) / 2
  const options: uPlot.Options = {
    width: Math.min(MOST_WIDTH, Math.max(WIDTH, rows.length * GROUP_WIDTH)),
    height: HEIGHT,
    scales: {
      x: { time: false, range: [-GAP, rows.length * step - 1] },
      y: {
        range: (_u, _min, max) => [
          0,
          Math.max(max, ...rows.flatMap((row) => columns.map((name) => top(row[name])))) * 1.08,
        ],
      },
    },
    cursor: { show: false },
    legend: { live: false },
    axes: [
      {
        size: 46,
        splits: () => rows.map((_, at) => middleOf(at)),
        values: () => rows.map(labelOf),
        grid: { show: false },
        ticks: { show: false },
      },
      { size: 70, values: (_u, ticks) => ticks.map((tick) => tick.toLocaleString('en')) },
    ],
    series: [
      { label: '', value: () => '' },
      ...columns.map((column, nth) => ({
        label: column,
        fill: COLORS[nth % COLORS.length] ?? '',
        stroke: COLORS[nth % COLORS.length] ?? '',
        points: { show: false },
        ...paths,
      })),
    ],
    hooks: { draw: [(u) => whiskers(u, rows, { columns, step })] },
  }
  new uPlot(options, [places, ...series] as uPlot.AlignedData, holder)
  return holder
}

function isRate(column: string, rows: readonly Row[]): boolean {
  return /\/s\b/.test(column) && !column.startsWith('offered') && rows.some((row) => middle(row[column]) !== null)
}

const middle = (cell: TableCell | undefined) => (isMeasure(cell) ? cell.median : typeof cell === 'number' ? cell : null)
const top = (cell: TableCell | undefined) => (isMeasure(cell) ? cell.max : (middle(cell) ?? 0))

/** One line for each of the row's first columns. */
function labelOf(row: Row): string {
  const short = (text: string) => (text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text)
  return caseOf(row).map(short).join('\n')
}

interface Grid {
  readonly columns: readonly string[]
  readonly step: number
}

/** Draws a line from the smallest to the largest sample over each bar. */
function whiskers(u: uPlot, rows: readonly Row[], { columns, step }: Grid): void {
  const { ctx } = u
  ctx.save()
  ctx.strokeStyle = '#1c2430'
  ctx.lineWidth = devicePixelRatio
  for (const [at, row] of rows.entries()) {
    for (const [nth, column] of columns.entries()) {
      const cell = row[column]
      if (!isMeasure(cell) || cell.samples.length < 2) continue
      const x = u.valToPos(at * step + nth, 'x', true)
      const [low, high] = [u.valToPos(cell.min, 'y', true), u.valToPos(cell.max, 'y', true)]
      const half = WHISKER * devicePixelRatio
      ctx.beginPath()
      for (const y of [low, high]) {
        ctx.moveTo(x - half, y)
        ctx.lineTo(x + half, y)
      }
      ctx.moveTo(x, low)
      ctx.lineTo(x, high)
      ctx.stroke()
    }
  }
  ctx.restore()
}
