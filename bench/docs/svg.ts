/**
 * Two kinds of plots as SVG files for pages in Markdown. Text is legible in light and in dark mode: each plot brings
 * its own background.
 */

const WIDTH = 560
const HEIGHT = 360
const LEFT = 74
const RIGHT = 14
const TOP = 84
const BOTTOM = 52
const MARGIN = 16
const INNER_WIDTH = WIDTH - LEFT - RIGHT
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM

const STYLE = `
  .panel { fill: #ffffff }
  text { fill: #1c2430; font: 15px system-ui, sans-serif }
  .title { font-weight: 600; font-size: 16px }
  .dim { fill: #57606a }
  .grid { stroke: #d9dee6 }
  .whisker { stroke: #1c2430; stroke-width: 1.5 }
  .s0 { --color: #2f6db5 } .s1 { --color: #c2700f } .s2 { --color: #2e8b62 }
  .fill { fill: var(--color) }
  .line { fill: none; stroke: var(--color); stroke-width: 2.5 }
  .dashed { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    .panel { fill: #0d1117 }
    text { fill: #e6edf3 }
    .dim { fill: #9aa4b2 }
    .grid { stroke: #30363d }
    .whisker { stroke: #e6edf3 }
    .s0 { --color: #6ea8ec } .s1 { --color: #f0a54a } .s2 { --color: #5fc498 }
  }
`

interface PlotText {
  readonly title: string
  /** Line under the title that names both axes. */
  readonly axes: string
  /** Labels of the places on the x axis. */
  readonly x: readonly string[]
}

interface Bar {
  readonly value: number
  readonly min: number
  readonly max: number
}

interface BarSeries {
  readonly name: string
  /** One for each place on the x axis; undefined where nothing was measured. */
  readonly bars: readonly (Bar | undefined)[]
}

/** Draws groups of bars with whiskers from the smallest to the largest sample. The y axis begins at 0. */
export function barPlot(text: PlotText, series: readonly BarSeries[], ticks: readonly number[]): string {
  const most = ticks.at(-1) ?? 1
  const y = (value: number) => TOP + INNER_HEIGHT * (1 - value / most)
  const group = INNER_WIDTH / text.x.length
  const width = (group * 0.8) / series.length
  const shapes = series.flatMap(({ bars }, nth) =>
    bars.flatMap((bar, at) => {
      if (!bar) return []
      const left = LEFT + group * (at + 0.1) + width * nth
      const middle = left + width / 2
      const size = `x="${px(left + 1)}" y="${px(y(bar.value))}" width="${px(width - 2)}" height="${px(y(0) - y(bar.value))}"`
      return [
        `<rect class="s${nth} fill" ${size}/>`,
        `<path class="whisker" d="M${px(middle)} ${px(y(bar.min))}V${px(y(bar.max))}"/>`,
      ]
    }),
  )
  return plot(text, { series, ticks, y, shapes, labelAt: (at) => LEFT + group * (at + 0.5) })
}

interface LineSeries {
  readonly name: string
  readonly dashed: boolean
  /** Number of the colour; lines that belong together share one. */
  readonly color: number
  /** One for each place on the x axis. */
  readonly values: readonly number[]
}

/** Draws lines over places that are equally far apart. The y axis is logarithmic. */
export function linePlot(text: PlotText, series: readonly LineSeries[], ticks: readonly number[]): string {
  const [least = 1, most = 10] = [ticks[0], ticks.at(-1)]
  const y = (value: number) => TOP + INNER_HEIGHT * (1 - Math.log(value / least) / Math.log(most / least))
  const x = (at: number) => LEFT + (INNER_WIDTH * (at + 0.5)) / text.x.length
  const shapes = series.flatMap(({ values, color, dashed }) => {
    const points = values.map((value, at) => `${px(x(at))} ${px(y(value))}`)
    const dots = values.map(
      (value, at) => `<circle class="s${color} fill" cx="${px(x(at))}" cy="${px(y(value))}" r="4"/>`,
    )
    return [`<path class="s${color} line${dashed ? ' dashed' : ''}" d="M${points.join('L')}"/>`, ...dots]
  })
  return plot(text, { series, ticks, y, shapes, labelAt: x })
}

interface Drawing {
  readonly series: readonly { readonly name: string; readonly color?: number; readonly dashed?: boolean }[]
  readonly ticks: readonly number[]
  readonly shapes: readonly string[]
  y(value: number): number
  labelAt(at: number): number
}

function plot({ title, axes, x }: PlotText, { series, ticks, shapes, y, labelAt }: Drawing): string {
  const lines = ticks.flatMap((tick) => [
    `<path class="grid" d="M${LEFT} ${px(y(tick))}H${WIDTH - RIGHT}"/>`,
    `<text class="dim" x="${LEFT - 8}" y="${px(y(tick) + 5)}" text-anchor="end">${tick.toLocaleString('en')}</text>`,
  ])
  const labels = x.map(
    (label, at) =>
      `<text class="dim" x="${px(labelAt(at))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${label}</text>`,
  )
  const step = (WIDTH - 2 * MARGIN) / series.length
  const legend = series.flatMap(({ name, color, dashed }, nth) => {
    const left = MARGIN + step * nth
    const swatch = `<path class="s${color ?? nth} line${dashed ? ' dashed' : ''}" d="M${px(left)} ${HEIGHT - 12}h20"/>`
    return [swatch, `<text x="${px(left + 26)}" y="${HEIGHT - 7}">${name}</text>`]
  })
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}. ${axes}">`,
    `<style>${STYLE}</style>`,
    `<rect class="panel" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="title" x="${MARGIN}" y="28">${title}</text>`,
    `<text class="dim" x="${MARGIN}" y="52">${axes}</text>`,
    ...lines,
    ...labels,
    ...shapes,
    ...legend,
    '</svg>',
  ].join('\n')}\n`
}

const px = (value: number) => Math.round(value * 10) / 10
