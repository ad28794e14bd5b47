import * as echarts from 'echarts'

/** Colours that colour-blind readers can distinguish. */
const COLORS = ['#2f6db5', '#c2700f', '#2e8b62', '#b0467e', '#7a6bc4', '#8a6d4b', '#4ba3c7', '#c0392b']
const HEIGHT = 360
const MIN_WIDTH = 560
const GROUP_WIDTH = 150

interface PlotText {
  readonly title: string
  /** Line under the title that names both axes. */
  readonly axes?: string
}

interface Bar {
  readonly median: number
  readonly min: number
  readonly max: number
}

interface BarSeries {
  readonly name: string
  /** One for each place on the x axis; undefined where nothing was measured. */
  readonly bars: readonly (Bar | undefined)[]
}

interface LineSeries {
  readonly name: string
  readonly dashed?: boolean
  /** Number of the colour; lines that belong together share one. */
  readonly color: number
  /** Pairs of x and y; x is the number of a place where the places have labels. */
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** Returns groups of bars as SVG, with whiskers from the smallest to the largest sample. */
export function barPlot(text: PlotText, places: readonly string[], series: readonly BarSeries[]): string {
  return svg(Math.max(MIN_WIDTH, places.length * GROUP_WIDTH), text, {
    xAxis: { type: 'category', data: [...places] },
    yAxis: { type: 'value' },
    series: series.flatMap(({ name, bars }, nth) => [
      { type: 'bar', name, color: colorOf(nth), data: bars.map((bar) => bar?.median ?? '-') },
      {
        type: 'custom',
        silent: true,
        data: bars.flatMap((bar, at) => (bar ? [[at, bar.min, bar.max]] : [])),
        renderItem: (_params, api) => whisker(api, nth, series.length),
      },
    ]),
  })
}

/** Returns lines as SVG over places with labels, or over numbers when there are none. The y axis may be logarithmic. */
export function linePlot(
  text: PlotText,
  { places, log = false }: { readonly places?: readonly string[]; readonly log?: boolean },
  series: readonly LineSeries[],
): string {
  return svg(MIN_WIDTH, text, {
    xAxis: places ? { type: 'category', data: [...places] } : { type: 'value' },
    yAxis: { type: log ? 'log' : 'value' },
    series: series.map(({ name, color, dashed, points }) => ({
      type: 'line',
      name,
      color: colorOf(color),
      lineStyle: { type: dashed ? 'dashed' : 'solid' },
      showSymbol: places !== undefined,
      data: points.map(([x, y]) => [x, y]),
    })),
  })
}

const colorOf = (nth: number) => COLORS[nth % COLORS.length] ?? ''

function svg(width: number, { title, axes = '' }: PlotText, option: echarts.EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height: HEIGHT })
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: title, subtext: axes, left: 8, top: 4, textStyle: { fontSize: 15 } },
    legend: { bottom: 4 },
    grid: { left: 12, right: 16, top: 72, bottom: 40, containLabel: true },
    ...option,
  })
  const drawn = chart.renderToSVGString()
  chart.dispose()
  // Styles serve hovering only, and the names of their classes count the charts of the process.
  const still = drawn.replace(/<style\s*>.*?<\/style>/gs, '').replace(/ class="zr[^"]*"/g, '')
  const label = `${title}. ${axes}`.replace(/[&"<]/g, ' ')
  return `${still.replace('<svg ', `<svg role="img" aria-label="${label}" `).trimEnd()}\n`
}

/** Draws the spread of one bar in the middle of it. */
function whisker(api: echarts.CustomSeriesRenderItemAPI, nth: number, count: number) {
  const [at, min, max] = [0, 1, 2].map((dimension) => Number(api.value(dimension)))
  const [x = 0, low = 0] = api.coord([at, min])
  const [, high = 0] = api.coord([at, max])
  const middle = x + (api.barLayout?.({ count })?.[nth]?.offsetCenter ?? 0)
  return {
    type: 'line' as const,
    shape: { x1: middle, y1: low, x2: middle, y2: high },
    style: { stroke: '#1c2430', lineWidth: 1.5 },
  }
}
