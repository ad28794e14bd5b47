import { compareBytes, HelperError, isMap, numeric, stringIn, typeName } from '../values.ts'
import { text } from './strings.ts'

/** Returns whether the first value equals any of the others. Throws `HelperError` for lists, maps and mixed types. */
export const eq = (first: unknown, ...others: readonly unknown[]): boolean =>
  others.some((other) => equalValues(first, other))

export const ne = (first: unknown, other: unknown): boolean => !equalValues(first, other)

function equalValues(a: unknown, b: unknown): boolean {
  const [left, right] = [stringIn(a), stringIn(b)]
  if (left !== undefined && right !== undefined) return left === right
  const absent = (value: unknown) => value === null || value === undefined
  if (absent(a) || absent(b)) return absent(a) && absent(b)
  const [one, two] = [numeric(a), numeric(b)]
  if (one !== undefined && two !== undefined) return one === two || equalMixed(one, two)
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b
  const uncomparable = [a, b].find((value) => Array.isArray(value) || isMap(value))
  if (uncomparable) throw new HelperError(`a ${typeName(uncomparable)} cannot be compared`)
  throw incompatible(a, b)
}

/** Compares a bigint with a number, which `===` does not. NaN equals no number. */
const equalMixed = (a: number | bigint, b: number | bigint) => a <= b && a >= b

const incompatible = (a: unknown, b: unknown) =>
  new HelperError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)

/** Returns a negative number, zero or a positive number; NaN when one of the values is NaN. */
function order(a: unknown, b: unknown): number {
  const [one, two] = [numeric(a), numeric(b)]
  if (one !== undefined && two !== undefined)
    return one < two ? -1 : one > two ? 1 : equalMixed(one, two) ? 0 : Number.NaN
  const [left, right] = [stringIn(a), stringIn(b)]
  if (left !== undefined && right !== undefined) return compareBytes(left, right)
  throw incompatible(a, b)
}

export const lt = (a: unknown, b: unknown): boolean => order(a, b) < 0
export const le = (a: unknown, b: unknown): boolean => order(a, b) <= 0
export const gt = (a: unknown, b: unknown): boolean => order(a, b) > 0
export const ge = (a: unknown, b: unknown): boolean => order(a, b) >= 0

const KINDS: { readonly [type: string]: string } = {
  '<nil>': 'invalid',
  '[]interface {}': 'slice',
  'map[string]interface {}': 'map',
  'time.Time': 'struct',
}

/** Implements `kindIs "map" .labels`, with the kinds of Go's reflection; `invalid` for an absent value. */
export function kindIs(kind: unknown, value: unknown): boolean {
  const type = typeName(value)
  return (KINDS[type] ?? type) === text(kind)
}
