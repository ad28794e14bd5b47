import type { Sample } from '../../live/history.ts'
import { samples } from '../../live/stats.ts'
import { Chart, type Line } from '../../ui/charts/chart.tsx'
import { latency, rate, short } from '../../ui/charts/numbers.ts'

interface ChartSpec {
  readonly title: string
  readonly format: (value: number) => string
  readonly whole?: boolean
  readonly lines: readonly (Omit<Line, 'values'> & { readonly of: (sample: Sample) => number | null })[]
}

const CHARTS: readonly ChartSpec[] = [
  {
    title: 'Accepted per second',
    format: rate,
    lines: [{ label: 'accepted', color: 'accent', filled: true, of: ({ accepted }) => accepted }],
  },
  {
    title: 'Delivered per second',
    format: rate,
    lines: [
      { label: 'sent', color: 'accent', filled: true, of: ({ sent }) => sent },
      { label: 'retried', color: 'warn', dashed: true, of: ({ retried }) => retried },
      { label: 'dead', color: 'bad', of: ({ dead }) => dead },
    ],
  },
  {
    title: 'Time to disk',
    format: latency,
    lines: [
      { label: 'median', color: 'accent', of: ({ commitP50 }) => commitP50 },
      { label: 'p99', color: 'accent', dashed: true, of: ({ commitP99 }) => commitP99 },
    ],
  },
  {
    title: 'Backlog',
    format: short,
    whole: true,
    lines: [{ label: 'deliveries', color: 'accent', filled: true, of: ({ backlog }) => backlog }],
  },
]

/** Four charts of the last ten minutes, or of the time since the dashboard was opened. */
export function Charts() {
  const seen = samples.value
  const times = seen.map(({ at }) => at)
  return (
    <div class="charts">
      {CHARTS.map(({ title, format, whole = false, lines }) => {
        const drawn = lines.map((line) => ({ ...line, values: seen.map(line.of) }))
        return (
          <section key={title} class="card chart-card stack">
            <header class="card-head">
              <h2>{title}</h2>
              <Legend lines={drawn} format={format} />
            </header>
            <Chart label={textOf(title, drawn, format)} times={times} lines={drawn} format={format} whole={whole} />
          </section>
        )
      })}
    </div>
  )
}

const Legend = ({ lines, format }: { readonly lines: readonly Line[]; readonly format: (value: number) => string }) => (
  <ul class="legend">
    {lines.map(({ label, color, dashed, values }) => (
      <li key={label} class={`legend-${color} ${dashed ? 'legend-dashed' : ''}`}>
        {lines.length > 1 && label} <strong>{lastOf(values, format)}</strong>
      </li>
    ))}
  </ul>
)

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.at(-1)
  return last === undefined || last === null ? '–' : format(last)
}

const textOf = (title: string, lines: readonly Line[], format: (value: number) => string) =>
  `${title}, now: ${lines.map(({ label, values }) => `${label} ${lastOf(values, format)}`).join(', ')}`
