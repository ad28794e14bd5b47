import { goText } from '../go-format.ts'
import { GoTime, HelperError, RAW } from '../values.ts'
import { DAYS, MONTHS, yearDay } from './layout.ts'
import { formatTime, timeText } from './time.ts'

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
  if (name === 'Format' && values.length === 1) return formatTime(time, goText(values[0]))
  const method = Object.hasOwn(METHODS, name) && values.length === 0 ? METHODS[name] : undefined
  if (!method) throw new HelperError(`a time has no method ${name} with ${values.length} arguments`)
  const { seconds, offsetSeconds } = time[RAW]
  return method(time, new Date((seconds + offsetSeconds) * 1000))
}
