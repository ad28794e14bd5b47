import { GoComplex, GoFloat, RAW } from '../values.ts'

const WORD = /[\p{L}\p{Nd}_]/u
const DECIMAL = '0123456789_'
const DIGITS: { readonly [prefix: string]: string } = {
  x: '0123456789abcdefABCDEF_',
  o: '01234567_',
  b: '01_',
}

/**
 * Returns the length of the number at `from` by Go's scanner, and whether a character follows that can end a number.
 */
export function scanNumber(text: string, from: number): { length: number; complete: boolean } {
  let at = scanReal(text, from)
  if ((text[at] === '+' || text[at] === '-') && /\di$/.test(text.slice(at, scanReal(text, at)))) at = scanReal(text, at)
  const next = String.fromCodePoint(text.codePointAt(at) ?? 32)
  const complete = !WORD.test(next)
  return { length: at - from + (complete ? 0 : next.length), complete }
}

function scanReal(text: string, from: number): number {
  let at = from
  const accept = (set: string) => at < text.length && set.includes(text[at] ?? '') && ++at
  const run = (set: string) => {
    while (accept(set));
  }
  accept('+-')
  let digits = DECIMAL
  if (accept('0')) {
    for (const prefix of ['x', 'o', 'b']) if (accept(prefix + prefix.toUpperCase())) digits = DIGITS[prefix] ?? DECIMAL
  }
  run(digits)
  if (accept('.')) run(digits)
  if (digits === DECIMAL && accept('eE')) {
    accept('+-')
    run(DECIMAL)
  }
  if (digits === DIGITS.x && accept('pP')) {
    accept('+-')
    run(DECIMAL)
  }
  accept('i')
  return at
}

const UNDERSCORED = /^[+-]?(?:0[xX](?:_?[\da-fA-F])*|0[oO](?:_?[0-7])*|0[bB](?:_?[01])*|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/
const FLOAT = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?$/
const HEX_FLOAT = /^([+-]?)0[xX]_?([\da-fA-F_]*)\.?([\da-fA-F_]*)[pP]([+-]?\d+)$/
const COMPLEX = /^(.*?[^eEpP+-])?([+-]?[^+-]+(?:[eEpP][+-]?\d+)?)i$/

/**
 * Returns the value of a number literal: an integer is a number (a bigint beyond 2^53), others are `GoFloat` or
 * `GoComplex`. Returns undefined when it is invalid.
 */
export function numberValue(text: string): unknown {
  if (text.endsWith('i')) return complexValue(text)
  const plain = text.replaceAll('_', '')
  if (UNDERSCORED.test(text)) return integerValue(plain)
  const hex = HEX_FLOAT.exec(text)
  if (hex) return floatValue(hexFloat(hex))
  if (!FLOAT.test(text) || !/[.eE]/.test(text) || (text.includes('_') && /^[+-]?0\d/.test(text))) return undefined
  return floatValue(Number(plain))
}

function integerValue(text: string): unknown {
  const negative = text.startsWith('-')
  const digits = text.replace(/^[+-]/, '')
  const octal = /^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits
  if (/^0[xob]$/i.test(octal)) return undefined
  const value = negative ? -BigInt(octal) : BigInt(octal)
  if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

const floatValue = (value: number) => (Number.isFinite(value) ? new GoFloat(value) : undefined)

function hexFloat([, sign, whole = '', fraction = '', exponent]: RegExpExecArray): number {
  const digits = (whole + fraction).replaceAll('_', '')
  if (digits === '') return Number.NaN
  const scale = Number(exponent) - 4 * fraction.replaceAll('_', '').length
  return (sign === '-' ? -1 : 1) * Number(`0x${digits}`) * 2 ** scale
}

function complexValue(text: string): unknown {
  const parts = COMPLEX.exec(text)
  if (!parts) return undefined
  const of = (part: string | undefined) => {
    const value = part ? numberValue(part.replace(/^([+-]?)0+(?=\d)/, '$1')) : 0
    return value instanceof GoFloat ? value[RAW] : typeof value === 'number' ? value : undefined
  }
  const [re, im] = [of(parts[1]), of(parts[2])]
  if (re === undefined || im === undefined) return undefined
  return im === 0 ? (Number.isInteger(re) ? re : new GoFloat(re)) : new GoComplex(re, im)
}
