import { GoTime } from '../values.ts'
import { DAYS, type LayoutPart, layoutParts, MONTHS } from './time.ts'

/** Layouts in which senders write times. */
const LAYOUTS = [
  '2006-01-02T15:04:05Z07:00',
  '2006-01-02 15:04:05Z07:00',
  '2006-01-02 15:04:05 -0700 MST',
  '2006-01-02 15:04:05 -0700',
  '2006-01-02T15:04:05-0700',
  '2006-01-02T15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04',
  '2006-01-02 15:04',
  '2006-01-02',
  '2006/01/02 15:04:05',
  '01/02/2006',
  'Mon, 02 Jan 2006 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 -0700',
  'Mon, 2 Jan 2006 15:04:05 -0700',
  'Monday, 02-Jan-06 15:04:05 MST',
  '02 Jan 06 15:04 MST',
  '02 Jan 06 15:04 -0700',
  'Mon Jan _2 15:04:05 2006',
  'Mon Jan _2 15:04:05 MST 2006',
  'Mon Jan 02 15:04:05 -0700 2006',
]

/** Parses a time in any of the layouts. Returns undefined when none matches or the day does not exist. */
export function parseTime(text: string): GoTime | undefined {
  if (text.length > MAX_TIME_LENGTH) return undefined
  for (const layout of LAYOUTS) {
    const time = parseWith(layout, text)
    if (time) return time
  }
  return undefined
}

const MAX_TIME_LENGTH = 64

interface Fields {
  [element: string]: string | undefined
}

const patterns = new Map<string, RegExp>()

function parseWith(layout: string, text: string): GoTime | undefined {
  let pattern = patterns.get(layout)
  if (!pattern) {
    pattern = patternOf(layoutParts(layout))
    patterns.set(layout, pattern)
  }
  const groups = pattern.exec(text)?.groups
  return groups && timeFrom(groups)
}

const names = (list: readonly string[], length?: number) => list.map((name) => name.slice(0, length)).join('|')

const SOURCES: { readonly [element: string]: string } = {
  '2006': '(?<year>\\d{4})',
  '06': '(?<shortYear>\\d\\d)',
  '01': '(?<month>\\d\\d)',
  Jan: `(?<monthName>${names(MONTHS, 3)})`,
  '02': '(?<day>\\d\\d)',
  '2': '(?<day>\\d\\d?)',
  _2: ' ?(?<day>\\d\\d?)',
  Mon: `(?:${names(DAYS, 3)})`,
  Monday: `(?:${names(DAYS)})`,
  '15': '(?<hour>\\d\\d?)',
  '04': '(?<minute>\\d\\d)',
  '05': '(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9})\\d*)?',
  MST: '(?<zone>[A-Z]{3,5})',
  '-0700': '(?<offset>[+-]\\d{4})',
  'Z07:00': '(?<offset>Z|[+-]\\d\\d:\\d\\d)',
}

function patternOf(parts: readonly LayoutPart[]): RegExp {
  const sources = parts.map((part) => {
    if (part.kind === 'element') return SOURCES[part.element] ?? ''
    return part.kind === 'text' ? part.text.replace(/[^\w\s]/g, '\\$&') : ''
  })
  return new RegExp(`^${sources.join('')}$`, 'i')
}

function timeFrom(fields: Fields): GoTime | undefined {
  const number = (name: string) => Number(fields[name] ?? 0)
  const shortYear = number('shortYear')
  const year = fields.year ? number('year') : shortYear + (shortYear >= 69 ? 1900 : 2000)
  const month = fields.monthName === undefined ? number('month') : monthNamed(fields.monthName)
  const [day, hour, minute, second] = [number('day'), number('hour'), number('minute'), number('second')]
  const wall = new Date(0)
  wall.setUTCFullYear(year, month - 1, day)
  if (wall.getUTCMonth() !== month - 1 || wall.getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  wall.setUTCHours(hour, minute, second)
  const { offsetSeconds, zone } = zoneFrom(fields)
  const nanos = Number((fields.fraction ?? '').padEnd(9, '0'))
  return new GoTime({ seconds: wall.getTime() / 1000 - offsetSeconds, nanos, offsetSeconds, zone })
}

/** Returns the number of the month by its first three letters; 0 when there is none. */
function monthNamed(short: string): number {
  return MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === short.toLowerCase()) + 1
}

/** Returns the zone of a time. Without an offset it is UTC; an abbreviation alone has offset 0, as in Go. */
function zoneFrom({ offset, zone }: Fields): { offsetSeconds: number; zone: string } {
  if (offset === undefined) return { offsetSeconds: 0, zone: zone ?? 'UTC' }
  if (offset.toUpperCase() === 'Z') return { offsetSeconds: 0, zone: 'UTC' }
  const digits = offset.replace(':', '')
  const size = Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3, 5)) * 60
  const offsetSeconds = digits[0] === '-' ? -size : size
  return { offsetSeconds, zone: zone ?? (offsetSeconds === 0 ? 'UTC' : '') }
}
