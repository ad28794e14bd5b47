import { GoTime, type Instant, RAW } from '../values.ts'
import { type LayoutElement, layoutParts } from './layout.ts'

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Returns the instant in UTC. */
export function timeOf(date: Date): GoTime {
  const seconds = Math.floor(date.getTime() / 1000)
  return new GoTime({ seconds, nanos: (date.getTime() - seconds * 1000) * 1e6, offsetSeconds: 0, zone: 'UTC' })
}

/** Returns the text of Go's Time.String. */
export const timeText = (time: GoTime): string => formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST')

/** Formats a time with a Go layout, in its zone offset. */
export function formatTime(time: GoTime, layout: string): string {
  const instant = time[RAW]
  const wall = new Date((instant.seconds + instant.offsetSeconds) * 1000)
  let text = ''
  for (const part of layoutParts(layout)) {
    if (part.kind === 'text') text += part.text
    else if (part.kind === 'fraction') text += fractionText(instant.nanos, part)
    else text += elementText(part.element, wall, instant)
  }
  return text
}

function fractionText(nanos: number, { mark, digits, trim }: { mark: string; digits: number; trim: boolean }): string {
  const all = String(nanos).padStart(9, '0').slice(0, digits)
  const kept = trim ? all.replace(/0+$/, '') : all.padEnd(digits, '0')
  return kept === '' ? '' : mark + kept
}

const two = (value: number) => String(value).padStart(2, '0')

function elementText(element: LayoutElement, wall: Date, instant: Instant): string {
  switch (element) {
    case '2006':
      return yearText(wall.getUTCFullYear())
    case '06':
      return two(((wall.getUTCFullYear() % 100) + 100) % 100)
    case 'January':
      return MONTHS[wall.getUTCMonth()] ?? ''
    case 'Jan':
      return (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3)
    case '01':
      return two(wall.getUTCMonth() + 1)
    case '1':
      return String(wall.getUTCMonth() + 1)
    case 'Monday':
      return DAYS[wall.getUTCDay()] ?? ''
    case 'Mon':
      return (DAYS[wall.getUTCDay()] ?? '').slice(0, 3)
    case '02':
      return two(wall.getUTCDate())
    case '_2':
      return String(wall.getUTCDate()).padStart(2)
    case '2':
      return String(wall.getUTCDate())
    case '002':
      return String(yearDay(wall)).padStart(3, '0')
    case '__2':
      return String(yearDay(wall)).padStart(3)
    default:
      return clockText(element, wall, instant)
  }
}

function clockText(element: LayoutElement, wall: Date, instant: Instant): string {
  const hour = wall.getUTCHours()
  switch (element) {
    case '15':
      return two(hour)
    case '03':
      return two(hour % 12 || 12)
    case '3':
      return String(hour % 12 || 12)
    case '04':
      return two(wall.getUTCMinutes())
    case '4':
      return String(wall.getUTCMinutes())
    case '05':
      return two(wall.getUTCSeconds())
    case '5':
      return String(wall.getUTCSeconds())
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return hour >= 12 ? 'pm' : 'am'
    case 'MST':
      return zoneText(instant)
    default:
      return offsetText(element, instant.offsetSeconds)
  }
}

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0')
}

export function yearDay(wall: Date): number {
  const start = new Date(wall)
  start.setUTCMonth(0, 1)
  return Math.round((wall.getTime() - start.getTime()) / 86_400_000) + 1
}

/** Returns the zone's abbreviation; without one an offset such as `-03` or `+0530`, as Go does. */
function zoneText({ zone, offsetSeconds }: Instant): string {
  return zone === '' ? offsetText('-0700', offsetSeconds) : zone
}

function offsetText(element: string, offsetSeconds: number): string {
  if (element.startsWith('Z') && offsetSeconds === 0) return 'Z'
  const size = Math.abs(offsetSeconds)
  const parts = [two(Math.floor(size / 3600)), two(Math.floor(size / 60) % 60), two(size % 60)]
  const shape = element.slice(1)
  const shown = shape.replaceAll(':', '').length / 2
  return (offsetSeconds < 0 ? '-' : '+') + parts.slice(0, shown).join(shape.includes(':') ? ':' : '')
}
