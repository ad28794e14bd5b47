import { signal } from '@preact/signals'

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The current time, epoch milliseconds, moving every few seconds: for ages that are shown. */
const now = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 5_000)

interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  /** `short`: the day or the time of day. `age`: how long ago. `whole`: both. */
  readonly as?: 'short' | 'age' | 'whole' | 'clock'
}

/** A moment in the reader's zone; hovering shows it in UTC to the millisecond. */
export function Time({ at, as = 'short' }: TimeProps) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  return (
    <time dateTime={at} title={`${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {as === 'age'
        ? ageOf(date)
        : as === 'whole'
          ? whole.format(date)
          : as === 'clock'
            ? clock.format(date)
            : shortOf(date)}
    </time>
  )
}

const shortOf = (date: Date) =>
  date.toDateString() === new Date().toDateString() ? clock.format(date) : `${day.format(date)}, ${minute.format(date)}`

/** To be called while rendering: what calls it is drawn again as time goes on. */
function ageOf(date: Date): string {
  now.value
  const ms = Date.now() - date.getTime()
  if (ms < -1_000) return `in ${span(-ms)}`
  return ms < 10_000 ? 'just now' : `${span(ms)} ago`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A duration in its largest unit, two below ten hours: `3 h 12 min`, `45 s`, `0.8 ms`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`
  const at = UNITS.findIndex(([, size]) => ms >= size)
  const [unit, size] = UNITS[at] ?? ['s', 1_000]
  const below = UNITS[at + 1]
  const major = Math.floor(ms / size)
  const minor = below && major < 10 ? Math.floor((ms % size) / below[1]) : 0
  return minor > 0 && below ? `${major} ${unit} ${minor} ${below[0]}` : `${major} ${unit}`
}
