const WIDTH = 96
const HEIGHT = 24

interface SparkProps {
  /** Describes the line for screen readers. */
  readonly label: string
  readonly values: readonly number[]
  /** Adds a dashed horizontal line at this value. */
  readonly baseline?: number
}

/** A small line chart without axes, for tables. */
export function Spark({ label, values, baseline }: SparkProps) {
  const top = Math.max(...values, baseline ?? 0, 1e-9) * 1.05
  const y = (value: number) => Math.round((HEIGHT - 1 - (value / top) * (HEIGHT - 2)) * 10) / 10
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0
  const points = values.map((value, at) => `${Math.round(at * step * 10) / 10},${y(value)}`)
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {baseline !== undefined && <path class="spark-baseline" d={`M0 ${y(baseline)}H${WIDTH}`} />}
      {points.length > 1 && <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />}
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  )
}
