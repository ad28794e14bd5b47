import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { type Colors, onThemeChange, themeColors } from './colors.ts'

export interface Line {
  readonly label: string
  readonly color: keyof Colors
  /** One value for each time; null where nothing was measured. */
  readonly values: readonly (number | null)[]
  readonly dashed?: boolean
  readonly filled?: boolean
}

interface ChartProps {
  /** Describes the chart for screen readers, which cannot read the canvas. */
  readonly label: string
  /** Epoch seconds, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** Formats a value for the axis. */
  readonly format: (value: number) => string
  /** Values are whole numbers. */
  readonly whole?: boolean
}

/** Allowed steps between ticks of an axis of whole numbers. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7]
/** Allowed seconds between ticks of the time axis, whose labels are minutes. */
const TIME_STEPS = [60, 120, 300, 600]
/** Least length of the time axis. */
const SPAN_S = 180

/** Lines over time; the cursors of all charts on a page move together. */
export function Chart({ label, times, lines, format, whole = false }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shape = lines.map((line) => line.label).join()
  useEffect(() => {
    const box = ref.current
    if (box === null) return undefined
    const draw = () => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(box, { lines, format, whole }), dataOf(times, lines), box)
    }
    draw()
    const fit = new ResizeObserver(() => plot.current?.setSize(sizeOf(box)))
    fit.observe(box)
    const forget = onThemeChange(draw)
    return () => {
      forget()
      fit.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [shape])
  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times])
  return <div ref={ref} class="chart" role="img" aria-label={label} />
}

const rootPixels = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
const sizeOf = (box: HTMLElement) => ({
  width: Math.max(160, box.clientWidth),
  height: Math.max(80, box.clientHeight),
})

const dataOf = (times: readonly number[], lines: readonly Line[]): uPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values]),
]

type Drawn = Pick<ChartProps, 'lines' | 'format' | 'whole'>

function optionsOf(box: HTMLElement, { lines, format, whole }: Drawn): uPlot.Options {
  const colors = themeColors()
  const pixels = rootPixels()
  const font = `${0.6875 * pixels}px ${getComputedStyle(box).fontFamily}`
  const axis = { stroke: colors.quiet, font, grid: { stroke: colors.line, width: 1 }, ticks: { show: false } }
  return {
    ...sizeOf(box),
    legend: { show: false },
    padding: [pixels * 0.5, pixels * 0.5, 0, 0],
    cursor: { sync: { key: 'tocsin' }, y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { range: (_, from, to) => [Math.min(from, to - SPAN_S), to] }, y: { range: rangeFromZero } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: pixels * 1.5,
        space: pixels * 3.5,
        incrs: TIME_STEPS,
        values: clockTimes,
      },
      {
        ...axis,
        size: pixels * 3.25,
        space: pixels * 1.75,
        values: (_, ticks) => ticks.map(format),
        ...(whole && { incrs: WHOLE }),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOf(line, colors))],
  }
}

function seriesOf({ label, color, dashed = false, filled = false }: Line, colors: Colors): uPlot.Series {
  return {
    label,
    stroke: colors[color],
    width: 1.5,
    spanGaps: false,
    points: { show: false },
    ...(dashed && { dash: [4, 4] }),
    ...(filled && { fill: `color-mix(in srgb, ${colors[color]} 14%, transparent)` }),
  }
}

const rangeFromZero = (_: uPlot, _from: number, to: number): [number, number] => [0, to > 0 ? to * 1.15 : 1]
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const clockTimes = (_: uPlot, ticks: number[]) => ticks.map((tick) => time.format(tick * 1_000))
