import { goText, MAX_TEXT_LENGTH } from '../go-format.ts'
import { type GoMap, HelperError, isInteger, isMap, numeric, sortedKeys, stringIn, truth, typeName } from '../values.ts'

const ASCII = /^[\0-\x7f]*$/

/** Returns the number of UTF-8 bytes of a text, or of members of a list or map. */
export function len(value: unknown): number {
  if (Array.isArray(value)) return value.length
  const string = stringIn(value)
  if (string !== undefined) return Buffer.byteLength(string)
  if (isMap(value)) return Object.keys(value).length
  if (value === null || value === undefined) return 0
  throw new HelperError(`len of type ${typeName(value)}`)
}

export function index(value: unknown, ...path: readonly unknown[]): unknown {
  let item = value
  for (const key of path) {
    if (item === null || item === undefined) return undefined
    item = member(item, key)
  }
  return item
}

function member(item: unknown, key: unknown): unknown {
  if (isMap(item)) return mapMember(item, key)
  const string = stringIn(item)
  if (!Array.isArray(item) && string === undefined) throw new HelperError(`can't index item of type ${typeName(item)}`)
  const list: readonly unknown[] | Buffer = string === undefined ? (item as unknown[]) : Buffer.from(string)
  const at = position(key, list.length)
  if (at === list.length) throw new HelperError(`index out of range: ${at}`)
  return list[at]
}

function mapMember(map: GoMap, key: unknown): unknown {
  const name = stringIn(key)
  if (name === undefined) throw new HelperError(`the key of a map is a string, not ${typeName(key)}`)
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function position(key: unknown, max: number): number {
  if (!isInteger(key)) throw new HelperError(`cannot index slice/array with type ${typeName(key)}`)
  if (key < 0 || key > max) throw new HelperError(`index out of range: ${key}`)
  return Number(key)
}

/** Returns a part of a list, or of a text by UTF-8 bytes. A bound inside a character moves to its start. */
export function slice(value: unknown, ...bounds: readonly unknown[]): unknown {
  const string = stringIn(value)
  if (string === undefined && !Array.isArray(value)) {
    if (value === null || value === undefined) return undefined
    throw new HelperError(`can't slice item of type ${typeName(value)}`)
  }
  if (bounds.length > (string === undefined ? 3 : 2)) throw new HelperError(`too many slice indexes: ${bounds.length}`)
  const size = len(value)
  const [from = 0, to = size, capacity = size] = bounds.map((bound) => position(bound, size))
  if (from > to) throw new HelperError(`invalid slice index: ${from} > ${to}`)
  if (to > capacity) throw new HelperError(`invalid slice index: ${to} > ${capacity}`)
  return string === undefined ? (value as unknown[]).slice(from, to) : sliceText(string, from, to)
}

function sliceText(string: string, from: number, to: number): string {
  if (ASCII.test(string)) return string.slice(from, to)
  const bytes = Buffer.from(string)
  const start = (at: number) => {
    let found = at
    while (found < bytes.length && found > 0 && ((bytes[found] ?? 0) & 0xc0) === 0x80) found--
    return found
  }
  return bytes.subarray(start(from), start(to)).toString()
}

export const list = (...values: readonly unknown[]): unknown[] => [...values]

export function dict(...pairs: readonly unknown[]): GoMap {
  if (pairs.length % 2 !== 0) throw new HelperError('dict expects pairs of a key and a value')
  const map: GoMap = Object.create(null)
  for (let at = 0; at < pairs.length; at += 2) map[goText(pairs[at])] = pairs[at + 1]
  return map
}

export const isDict = (value: unknown): value is GoMap => isMap(value) && Object.getPrototypeOf(value) === null

const MAX_LIST = 1_000_000

export function append(value: unknown, ...values: readonly unknown[]): unknown[] {
  if (value !== null && value !== undefined && !Array.isArray(value))
    throw new HelperError(`append expects a list, got ${typeName(value)}`)
  const grown = [...((value ?? []) as unknown[]), ...values]
  if (grown.length > MAX_LIST) throw new RangeError('a list grew beyond a million members')
  return grown
}

/** Returns the map without these keys; an empty map for any other value. */
export function omit(map: unknown, ...keys: readonly unknown[]): GoMap {
  const rest: GoMap = Object.create(null)
  if (!isMap(map)) return rest
  const left = new Set(keys.map(goText))
  for (const key of Object.keys(map)) if (!left.has(key)) rest[key] = map[key]
  return rest
}

/** Returns the members of a list as texts. */
export function stringSlice(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value.map(goText) : [goText(value)]
}

/** Returns `fallback` for an absent value, null and ''; 0 and false count as values. */
export function defaultTo(value: unknown, fallback: unknown): unknown {
  return value === null || value === undefined || stringIn(value) === '' ? fallback : value
}

export const not = (value: unknown): boolean => !truth(value)

/** Returns JSON as Go's encoding/json writes it: keys in byte order, < > & escaped. */
export function toJson(value: unknown): string {
  return plainJson(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns JSON for readers: keys in byte order, without escapes of < > &. */
export function plainJson(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const string = stringIn(value)
  if (string !== undefined) return JSON.stringify(string.toWellFormed())
  const number = numeric(value)
  if (number !== undefined) return typeof number === 'bigint' ? String(number) : JSON.stringify(number)
  if (Array.isArray(value)) return `[${joined(value, plainJson)}]`
  if (!isMap(value)) return typeof value === 'boolean' ? String(value) : JSON.stringify(goText(value))
  return `{${joined(sortedKeys(value), (key) => `${JSON.stringify(key)}:${plainJson(value[key])}`)}}`
}

function joined<T>(items: readonly T[], show: (item: T) => string): string {
  let text = ''
  for (const item of items) {
    text += (text === '' ? '' : ',') + show(item)
    if (text.length > MAX_TEXT_LENGTH) throw new RangeError('a value is more than 8 MiB of JSON')
  }
  return text
}
