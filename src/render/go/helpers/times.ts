import { goText } from '../go-format.ts'
import { parseTime } from '../time/parse.ts'
import { DAYS, formatTime as formatWith, MONTHS, timeText, yearDay } from '../time/time.ts'
import { GoTime, HelperError, RAW, stringIn, typeName } from '../values.ts'
import { text } from './strings.ts'

const DEFAULT_LAYOUT = '2006-01-02 15:04:05'

/** Implements `formatTime .t`, also with a layout before or after the time. */
export function formatTime(...values: readonly unknown[]): string {
  const [first, last = first] = values
  if (values.length === 1) return shown(first, DEFAULT_LAYOUT)
  return timeIn(last) === undefined && timeIn(first) !== undefined ? shown(first, last) : shown(last, first)
}

function shown(value: unknown, layout: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  const time = isDate(value) ? undefined : timeIn(value)
  return time ? formatWith(time, layoutIn(layout)) : 'Invalid time'
}

/**
 * Implements `format layout time`. Returns an error text for a value that is not a time, so that the message still goes
 * out.
 */
export function format(layout: unknown, value: unknown): string {
  if (value === null || value === undefined) return 'Unsupported type for format: '
  if (!(value instanceof GoTime) && stringIn(value) === undefined)
    return `Unsupported type for format: ${typeName(value)}`
  const time = timeIn(value)
  return time ? formatWith(time, layoutIn(layout)) : 'Invalid time format'
}

/** Tells a day without a time, which `format` alone reads. */
const isDate = (value: unknown) => typeof value === 'string' && !value.includes(':')

const MAX_LAYOUT_LENGTH = 1000

function layoutIn(value: unknown): string {
  const layout = text(value)
  if (layout.length > MAX_LAYOUT_LENGTH) throw new HelperError(`a layout may have ${MAX_LAYOUT_LENGTH} characters`)
  return layout
}

function timeIn(value: unknown): GoTime | undefined {
  if (value instanceof GoTime) return value
  const string = stringIn(value)
  return string === undefined ? undefined : parseTime(string)
}

type Method = (time: GoTime, wall: Date) => unknown

const METHODS: { readonly [name: string]: Method } = {
  Unix: (time) => time[RAW].seconds,
  UnixMilli: (time) => time[RAW].seconds * 1000 + Math.floor(time[RAW].nanos / 1e6),
  Nanosecond: (time) => time[RAW].nanos,
  UTC: (time) => new GoTime({ ...time[RAW], offsetSeconds: 0, zone: 'UTC' }),
  String: timeText,
  Year: (_, wall) => wall.getUTCFullYear(),
  Month: (_, wall) => MONTHS[wall.getUTCMonth()],
  Day: (_, wall) => wall.getUTCDate(),
  Hour: (_, wall) => wall.getUTCHours(),
  Minute: (_, wall) => wall.getUTCMinutes(),
  Second: (_, wall) => wall.getUTCSeconds(),
  Weekday: (_, wall) => DAYS[wall.getUTCDay()],
  YearDay: (_, wall) => yearDay(wall),
}

/**
 * Calls a method of Go's time.Time, as in `now.Format "15:04"` and `now.Year`. Throws `HelperError` for an unknown one.
 */
export function timeMethod(time: GoTime, name: string, values: readonly unknown[]): unknown {
  if (name === 'Format' && values.length === 1) return formatWith(time, goText(values[0]))
  const method = Object.hasOwn(METHODS, name) && values.length === 0 ? METHODS[name] : undefined
  if (!method) throw new HelperError(`a time has no method ${name} with ${values.length} arguments`)
  const { seconds, offsetSeconds } = time[RAW]
  return method(time, new Date((seconds + offsetSeconds) * 1000))
}
