import { signal } from '@preact/signals'

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
export const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The current time in epoch milliseconds. It changes every 5 s while the page is visible, which redraws ages. */
const now = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 5_000)

interface TimeProps {
  /** ISO 8601; without one nothing is shown. */
  readonly at: string | null
  /** `short`: the time of day, with the day when that is not today. `age`: how long ago. `whole`: day and time. */
  readonly as?: keyof typeof FORMATS
  /** Text in front of it. */
  readonly before?: string
}

/** A time in the reader's time zone; its tooltip has it in UTC with milliseconds. */
export function Time({ at, as = 'short', before }: TimeProps) {
  if (at === null) return null
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  return (
    <>
      {before}
      <time dateTime={at} title={`${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
        {FORMATS[as](date)}
      </time>
    </>
  )
}

const shortOf = (date: Date) =>
  date.toDateString() === new Date().toDateString() ? clock.format(date) : `${day.format(date)}, ${minute.format(date)}`

/** Call it while rendering: it reads `now`, so its caller is drawn again as time passes. */
function ageOf(date: Date): string {
  now.value
  const ms = Date.now() - date.getTime()
  if (ms < -1_000) return `in ${span(-ms)}`
  return ms < 10_000 ? 'just now' : `${span(ms)} ago`
}

const FORMATS = { short: shortOf, age: ageOf, whole: whole.format, clock: clock.format } as const

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats a duration in its largest unit, below ten of it in two units: `3 h 12 min`, `45 s`, `0.8 ms`. */
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
