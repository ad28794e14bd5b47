import type { Value } from './event.ts'

const HEX = '0123456789abcdef'

export const integer =
  (from: number, to: number): Value =>
  ({ random }) =>
    String(random.integer(from, to))

/** A count of any size up to `most`. */
export const count =
  (most: number): Value =>
  ({ random }) =>
    String(random.magnitude(1, most + 1) - 1)

export const decimal =
  (digits: number, most: number): Value =>
  ({ random }) =>
    (random.magnitude(1, most * 1_000) / 1_000).toFixed(digits)

export const hex =
  (length: number): Value =>
  ({ random }) =>
    random.text(length, HEX)

export const uuid: Value = ({ random }) => [8, 4, 4, 4, 12].map((length) => random.text(length, HEX)).join('-')

/** The first of a list are the most frequent; after training, one draw in 25 is one of `later`. */
export const names =
  (list: readonly string[], later: readonly string[] = []): Value =>
  (draw) =>
    draw.later && later.length > 0 && draw.random.chance(0.04) ? draw.random.zipf(later) : draw.random.zipf(list)

export const oneOf =
  (...values: readonly Value[]): Value =>
  (draw) =>
    draw.random.pick(values)(draw)

/** One of a few values that are in use at the time. */
export const living =
  (name: string, size: number, make: Value): Value =>
  (draw) =>
    draw.live(name, size, () => make(draw))

/** The same value in all places of an event: in its header, its text and its chain. */
export const shared =
  (name: string, value: Value): Value =>
  (draw) => {
    const known = draw.scene.get(name) ?? value(draw)
    draw.scene.set(name, known)
    return known
  }

/** One part of a value that has several, separated by `|`. */
export const part =
  (value: Value, at: number): Value =>
  (draw) =>
    value(draw).split('|')[at] ?? ''

/** Joins values, such as the parts of a path. */
export const joined =
  (...parts: readonly (Value | string)[]): Value =>
  (draw) =>
    parts.map((part) => (typeof part === 'string' ? part : part(draw))).join('')

/** From one to `most` values with a separator. */
export const list =
  (value: Value, most: number, separator: string): Value =>
  (draw) =>
    Array.from({ length: draw.random.integer(1, most) }, () => value(draw)).join(separator)

export const address: Value = living('address', 40, ({ random }) =>
  [10, random.integer(0, 9), random.integer(0, 255), random.integer(1, 254)].join('.'),
)

export const publicAddress: Value = ({ random }) =>
  [random.integer(11, 223), random.integer(0, 255), random.integer(0, 255), random.integer(1, 254)].join('.')

export const port: Value = integer(32_768, 60_999)

export const processId: Value = living('process', 30, integer(300, 99_999))

/** A duration as Go prints it, such as `1.234567ms` or `2m3.5s`. */
export const goDuration: Value = ({ random }) => {
  const micros = random.magnitude(80, 90_000_000)
  if (micros < 1_000) return `${micros}.${random.integer(1, 999)}µs`
  if (micros < 1_000_000) return `${micros / 1_000}ms`
  if (micros < 60_000_000) return `${micros / 1_000_000}s`
  return `${Math.floor(micros / 60_000_000)}m${(micros % 60_000_000) / 1_000_000}s`
}

const pad = (value: number, length = 2) => String(value).padStart(length, '0')
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Parts of a time in UTC, as headers write them. `micros` has six digits, of which the last three are drawn. */
export const stampOf: (
  draw: Parameters<Value>[0],
) => Record<'year' | 'month' | 'name' | 'day' | 'clock' | 'ms' | 'micros', string> = ({ atMs, random }) => {
  const date = new Date(atMs)
  const ms = pad(date.getUTCMilliseconds(), 3)
  return {
    year: String(date.getUTCFullYear()),
    month: pad(date.getUTCMonth() + 1),
    name: MONTHS[date.getUTCMonth()] ?? '',
    day: pad(date.getUTCDate()),
    clock: [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((part) => pad(part)).join(':'),
    ms,
    micros: ms + random.text(3, '0123456789'),
  }
}
