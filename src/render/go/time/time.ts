import { GoTime, type Instant, RAW } from '../values.ts'

export const MONTHS = 'January February March April May June July August September October November December'.split(' ')
export const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Prints one element of a layout. `wall`: the time in its zone, as UTC. */
type Print = (wall: Date, instant: Instant) => string

const two = (value: number) => String(value).padStart(2, '0')
const monthName = (wall: Date) => MONTHS[wall.getUTCMonth()] ?? ''
const dayName = (wall: Date) => DAYS[wall.getUTCDay()] ?? ''
const hour12 = (wall: Date) => wall.getUTCHours() % 12 || 12
const half = (wall: Date) => (wall.getUTCHours() >= 12 ? 'PM' : 'AM')

/** Elements of a Go time layout, in the order they are tried; other text is literal. */
const ELEMENTS: readonly (readonly [element: string, print: Print])[] = [
  ['January', monthName],
  ['Jan', (wall) => monthName(wall).slice(0, 3)],
  ['Monday', dayName],
  ['Mon', (wall) => dayName(wall).slice(0, 3)],
  ['MST', (_, { zone, offsetSeconds }) => zone || offsetText('-0700', offsetSeconds)],
  ['002', (wall) => String(yearDay(wall)).padStart(3, '0')],
  ['01', (wall) => two(wall.getUTCMonth() + 1)],
  ['02', (wall) => two(wall.getUTCDate())],
  ['03', (wall) => two(hour12(wall))],
  ['04', (wall) => two(wall.getUTCMinutes())],
  ['05', (wall) => two(wall.getUTCSeconds())],
  ['06', (wall) => two(((wall.getUTCFullYear() % 100) + 100) % 100)],
  ['2006', (wall) => yearText(wall.getUTCFullYear())],
  ['15', (wall) => two(wall.getUTCHours())],
  ['__2', (wall) => String(yearDay(wall)).padStart(3)],
  ['_2', (wall) => String(wall.getUTCDate()).padStart(2)],
  ...['-07:00:00', '-07:00', '-070000', '-0700', '-07', 'Z07:00:00', 'Z07:00', 'Z070000', 'Z0700', 'Z07'].map(
    (shape): [string, Print] => [shape, (_, { offsetSeconds }) => offsetText(shape, offsetSeconds)],
  ),
  ['PM', half],
  ['pm', (wall) => half(wall).toLowerCase()],
  ['1', (wall) => String(wall.getUTCMonth() + 1)],
  ['2', (wall) => String(wall.getUTCDate())],
  ['3', (wall) => String(hour12(wall))],
  ['4', (wall) => String(wall.getUTCMinutes())],
  ['5', (wall) => String(wall.getUTCSeconds())],
]

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0')
}

export function yearDay(wall: Date): number {
  const start = new Date(wall)
  start.setUTCMonth(0, 1)
  return Math.round((wall.getTime() - start.getTime()) / 86_400_000) + 1
}

/** Returns an offset such as `-03` or `+05:30`. */
function offsetText(element: string, offsetSeconds: number): string {
  if (element.startsWith('Z') && offsetSeconds === 0) return 'Z'
  const size = Math.abs(offsetSeconds)
  const parts = [two(Math.floor(size / 3600)), two(Math.floor(size / 60) % 60), two(size % 60)]
  const shape = element.slice(1)
  const shown = shape.replaceAll(':', '').length / 2
  return (offsetSeconds < 0 ? '-' : '+') + parts.slice(0, shown).join(shape.includes(':') ? ':' : '')
}

export type LayoutPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'element'; readonly element: string; readonly print: Print }
  /** Fraction of a second: `.000` or `,999`. `trim`: trailing zeros are dropped. */
  | { readonly kind: 'fraction'; readonly mark: string; readonly digits: number; readonly trim: boolean }

const cache = new Map<string, readonly LayoutPart[]>()
const MAX_CACHED = 200
const MAX_CACHED_LENGTH = 100

/** Splits a layout as Go's time package does. Results of recent layouts are cached. */
export function layoutParts(layout: string): readonly LayoutPart[] {
  const known = cache.get(layout)
  if (known) return known
  const parts = cut(layout)
  if (layout.length > MAX_CACHED_LENGTH) return parts
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(layout, parts)
  return parts
}

function cut(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = []
  let text = ''
  let at = 0
  while (at < layout.length) {
    const part = partAt(layout, at)
    if (!part) {
      text += layout[at++]
      continue
    }
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push(part.part)
    at += part.length
  }
  if (text !== '') parts.push({ kind: 'text', text })
  return parts
}

const FRACTION = /([.,])(0+|9+)(?!\d)/y

function partAt(layout: string, at: number): { part: LayoutPart; length: number } | undefined {
  FRACTION.lastIndex = at
  const [fraction, mark = '', digits = ''] = FRACTION.exec(layout) ?? []
  if (fraction !== undefined) {
    const part: LayoutPart = { kind: 'fraction', mark, digits: digits.length, trim: digits.startsWith('9') }
    return { part, length: fraction.length }
  }
  if (layout.startsWith('_2006', at)) return { part: { kind: 'text', text: '_' }, length: 1 }
  const found = ELEMENTS.find(([each]) => layout.startsWith(each, at) && !isWithinWord(layout, at, each))
  if (!found) return undefined
  const [element, print] = found
  return { part: { kind: 'element', element, print }, length: element.length }
}

/** Returns whether `Jan` or `Mon` is the start of a longer word such as `Month`, which is literal text. */
function isWithinWord(layout: string, at: number, element: string): boolean {
  return (element === 'Jan' || element === 'Mon') && /[a-z]/.test(layout[at + 3] ?? '')
}

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
    else text += part.print(wall, instant)
  }
  return text
}

function fractionText(nanos: number, { mark, digits, trim }: { mark: string; digits: number; trim: boolean }): string {
  const all = String(nanos).padStart(9, '0').slice(0, digits)
  const kept = trim ? all.replace(/0+$/, '') : all.padEnd(digits, '0')
  return kept === '' ? '' : mark + kept
}
