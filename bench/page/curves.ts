import uPlot from 'uplot'
import type { Curve } from '../report.ts'
import { COLORS, WIDTH } from './colors.ts'

const HEIGHT = 300
/** Least value on the logarithmic axis. Load generators that count whole milliseconds report 0. */
const LEAST_MS = 0.01
/** Percentile at which the largest sample is drawn. */
const MAXIMUM = 99.999
const TICKS = [0, 50, 90, 99, 99.9, 99.99, MAXIMUM]

/** Draws the curves of one plot. */
export function curves(title: string, drawn: readonly Curve[]): HTMLElement {
  const ofLatency = drawn[0]?.x === 'percentile'
  const tables = drawn.map(({ points }) => {
    const columns = [
      points.map(([x]) => (ofLatency ? nines(x) : x)),
      points.map(([, y]) => (ofLatency ? Math.max(y, LEAST_MS) : y)),
    ]
    return columns as unknown as uPlot.AlignedData
  })
  const holder = document.createElement('div')
  const options: uPlot.Options = {
    title,
    width: WIDTH,
    height: HEIGHT,
    scales: { x: { time: false }, y: ofLatency ? { distr: 3 } : {} },
    axes: [
      ofLatency
        ? { splits: () => TICKS.map(nines), values: () => TICKS.map((tick) => (tick === MAXIMUM ? 'max' : `p${tick}`)) }
        : { values: (_u, ticks) => ticks.map((tick) => `${tick} s`) },
      {
        size: 60,
        values: (_u, ticks) => ticks.map((tick) => (tick === null ? '' : `${tick}${ofLatency ? ' ms' : ''}`)),
      },
    ],
    series: [
      {
        label: ofLatency ? 'percentile' : 'second',
        value: (_u, x) => (x === null ? '' : ofLatency ? `p${percentile(x)}` : `${x}`),
      },
      ...drawn.map(({ name }, nth) => ({
        label: name,
        stroke: COLORS[nth % COLORS.length] ?? '',
        // There may be more curves than colours.
        dash: nth < COLORS.length ? [] : [6, 4],
        width: 2,
        spanGaps: true,
      })),
    ],
  }
  new uPlot(options, uPlot.join(tables), holder)
  return holder
}

/** Position on the axis: 90 is 1, 99 is 2, 99.9 is 3. */
const nines = (percentile: number) => -Math.log10(1 - Math.min(percentile, MAXIMUM) / 100)
const percentile = (nines: number) => Math.round((1 - 10 ** -nines) * 1e5) / 1e3
