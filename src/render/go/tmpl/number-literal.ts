import { GoFloat } from '../values.ts'

const WORD = /[\p{L}\p{Nd}_]/u
const SCANNED = /[+-]?(?:0[xX][\da-fA-F]+|\d*\.?\d*(?:[eE][+-]?\d+)?)/y

/** Returns the length of the number at `from`, and whether a character follows that can end a number. */
export function scanNumber(text: string, from: number): { length: number; complete: boolean } {
  SCANNED.lastIndex = from
  const length = SCANNED.exec(text)?.[0].length ?? 0
  const next = String.fromCodePoint(text.codePointAt(from + length) ?? 32)
  const complete = !WORD.test(next)
  return { length: length + (complete ? 0 : next.length), complete }
}

const INTEGER = /^[+-]?(?:0x[\da-f]+|0|[1-9]\d*)$/i
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * Returns the value of a number literal: an integer is a number (a bigint beyond 2^53), a float is a `GoFloat`. Returns
 * undefined when it is invalid.
 */
export function numberValue(text: string): unknown {
  if (INTEGER.test(text)) return integerValue(text)
  const value = FLOAT.test(text) && /[.e]/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? new GoFloat(value) : undefined
}

function integerValue(text: string): unknown {
  const size = BigInt(text.replace(/^[+-]/, ''))
  const value = text.startsWith('-') ? -size : size
  if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
