import { RE2JS } from 're2js'
import { z } from 'zod'
import { errorText } from '../text/error-text.ts'

/** `true` or `false`. */
export const flag = (fallback: boolean) => z.boolean({ error: 'must be true or false' }).default(fallback)

/** Any text, trimmed. A number in the file is taken as it is written. */
export const text = (fallback = '') => z.string({ error: 'must be text' }).trim().default(fallback)

/** Text that no log line, error or answer shows. */
export const secret = () => z.string({ error: 'must be text' }).trim().meta({ secret: true }).default('')

/** A whole number between two bounds, both included. */
export function whole(fallback: number, [min, max]: readonly [number, number]) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error }).default(fallback)
}

/** A number between two bounds, both included. */
export function fraction(fallback: number, [min, max]: readonly [number, number]) {
  const error = `must be a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error }).default(fallback)
}

const UNIT_MS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])
const DURATION = /^(?:\d{1,12}(?:\.\d{1,6})?(?:ms|s|m|h|d))+$/
const PIECE = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g
const NOT_A_DURATION = 'must be a time with a unit, such as "500ms", "30s" or "1h30m"'
const YEAR_MS = 365 * 86_400_000

/** A time such as `1m30s`, from `minMs` to a year; becomes milliseconds. */
export const duration = (fallback: string, minMs = 1) => requiredDuration(minMs).prefault(fallback)

/** A time without a default. */
export function requiredDuration(minMs: number) {
  const parse = (written: string, ctx: z.RefinementCtx): number => {
    const ms = written === '0' ? 0 : DURATION.test(written) ? durationMs(written) : Number.NaN
    if (ms >= minMs && ms <= YEAR_MS) return ms
    const message = Number.isNaN(ms) ? NOT_A_DURATION : `must be a time from ${shortest(minMs)} to 365d`
    ctx.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  return z.string({ error: NOT_A_DURATION }).trim().transform(parse)
}
/** Returns a time as a configuration says it. */
function shortest(ms: number): string {
  if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms > 0 && ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`
}

function durationMs(written: string): number {
  let ms = 0
  for (const [, count, unit = ''] of written.matchAll(PIECE)) ms += Number(count) * (UNIT_MS.get(unit) ?? Number.NaN)
  return Math.round(ms)
}

/** An absolute http or https address without slashes at its end, or empty. */
export const httpUrl = (fallback = '') =>
  writtenUrl()
    .transform((url) => url.replace(/\/+$/, ''))
    .prefault(fallback)

/** An absolute http or https address exactly as written, or empty. */
export const writtenUrl = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .refine((url) => url === '' || isHttpUrl(url), { error: NOT_A_URL })

export const NOT_A_URL = 'must be an address that begins with http:// or https://'

export function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

const NAME = /^[\w.@-]{1,64}$/

/**
 * A map whose keys the operator chooses. Becomes a Map, because a key such as `constructor` would reach a prototype.
 */
export const named = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string().regex(NAME, { error: 'must be named with 1 to 64 letters, digits or any of . _ @ -' }), value, {
      error: 'must be a map of names to values',
    })
    .default({})
    .transform((entries): ReadonlyMap<string, z.output<T>> => new Map(Object.entries(entries)))

/** A list, empty by default. */
export const list = <T extends z.ZodType>(item: T) => z.array(item, { error: 'must be a list' }).default([])

/** One of the words; the first is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const error = `must be ${words.length === 1 ? words[0] : `one of ${words.join(', ')}`}`
  return z.enum(words, { error }).default(words[0] as Words[number])
}

type Camel<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Key
type CamelKeys<T> = { [Key in keyof T as Camel<Key> & string]: T[Key] }

/** Returns the object with its keys in camel case, as `maxPatterns` for `max_patterns`; keys of its values stay. */
export function camelKeys<T extends object>(raw: T): CamelKeys<T> {
  const entries = Object.entries(raw).map(([key, value]) => [
    key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(entries) as CamelKeys<T>
}

/** Returns whether a regular expression for RE2 has a capture group; false for a text that is none. */
export function hasGroup(source: string): boolean {
  try {
    return RE2JS.compile(source).groupCount() > 0
  } catch {
    return false
  }
}

/** A regular expression for RE2, which runs in linear time. */
export const pattern = () =>
  z.string({ error: 'must be a regular expression in quotes' }).superRefine((source, ctx) => {
    try {
      RE2JS.compile(source)
    } catch (error) {
      const message = `is not a regular expression that RE2 takes (${errorText(error)})`
      ctx.addIssue({ code: 'custom', message })
    }
  })
