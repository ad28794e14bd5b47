import { jsonNumberText } from './format-float.ts'

/**
 * Key of the content of the classes below; a symbol, so that templates cannot name it. Values of a rendering are those
 * of JSON.parse, a `bigint` for an integer literal beyond 2^53, an object without prototype for a map made by `dict`,
 * and these classes.
 */
export const RAW = Symbol('raw')

class Boxed<T> {
  readonly [RAW]: T
  constructor(value: T) {
    this[RAW] = value
  }
}

/** A float literal of the template. Fractions of the payload are plain numbers, which print without an exponent. */
export class GoFloat extends Boxed<number> {}

/** Text that is not escaped when printed: literal text of the template, escaped text, or a result of `safe`. */
export class Markup extends Boxed<string> {}

/** An instant with the zone offset it was written with. */
export class GoTime extends Boxed<Instant> {}

export interface Instant {
  /** Epoch seconds, rounded down. */
  readonly seconds: number
  readonly nanos: number
  readonly offsetSeconds: number
  /** Abbreviation of the zone; '' when only the offset is known. */
  readonly zone: string
}

export type GoMap = { [key: string]: unknown }

export const isMap = (value: unknown): value is GoMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Boxed)

/** Returns the number of an integer or float; undefined for any other value. */
export function numeric(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return value instanceof GoFloat ? value[RAW] : undefined
}

export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value)

/** Returns the text of a string or `Markup`; undefined for any other value. */
export function stringIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return value instanceof Markup ? value[RAW] : undefined
}

/** Returns the name of the value's type in Go. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (isInteger(value)) return 'int'
  if (typeof value === 'number' || value instanceof GoFloat) return 'float64'
  if (stringIn(value) !== undefined) return 'string'
  if (Array.isArray(value)) return '[]interface {}'
  return value instanceof GoTime ? 'time.Time' : 'map[string]interface {}'
}

/** Returns Go's truth of a value: false, 0, "", null and empty lists and maps are false. */
export function truth(value: unknown): boolean {
  if (typeof value !== 'object') return Boolean(value) || Number.isNaN(value)
  if (value === null) return false
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Markup) return value[RAW] !== ''
  if (value instanceof GoFloat) return value[RAW] !== 0
  if (value instanceof GoTime) return true
  for (const key in value) if (Object.hasOwn(value, key)) return true
  return false
}

const NEEDS_CODE_POINTS = /[\ud800-\uffff]/

/** Returns the keys of a map in the order of their UTF-8 bytes, as Go iterates. */
export function sortedKeys(map: GoMap): string[] {
  const keys = Object.keys(map)
  if (keys.length < 2) return keys
  return keys.some((key) => NEEDS_CODE_POINTS.test(key)) ? keys.sort(compareBytes) : keys.sort()
}

/** Compares texts by their UTF-8 bytes, which is the order of their code points. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  const before = at > 0 && /[\ud800-\udbff]/.test(a[at - 1] ?? '') ? at - 1 : at
  return (a.codePointAt(before) ?? -1) - (b.codePointAt(before) ?? -1)
}

export function numberText(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : jsonNumberText(value)
}

/** Invalid arguments of a helper. The rendering fails, and the message goes out as plain text. */
export class HelperError extends Error {}
