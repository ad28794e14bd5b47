import { type FloatVerb, formatFloat, goFloatText } from '../format-float.ts'
import { goText, MAX_TEXT_LENGTH } from '../go-format.ts'
import { goQuote, isPrintable } from '../go-quote.ts'
import {
  GoComplex,
  GoFloat,
  GoTime,
  isInteger,
  isMap,
  numeric,
  RAW,
  sortedKeys,
  stringIn,
  typeName,
} from '../values.ts'
import { goSyntax } from './go-syntax.ts'
import { hexFloat } from './hex-float.ts'
import type { Spec } from './spec.ts'

/** Formats one operand, with padding. A verb that does not fit the type prints as `%!d(string=hi)`. */
export function operandText(operand: unknown, spec: Spec): string {
  if (spec.verb === 'T') return stringText(typeName(operand), { ...spec, verb: 's' })
  if (spec.verb === 'v' && spec.sharp) return sourceText(operand, spec)
  return valueText(operand, spec.verb === 'v' && spec.plus ? { ...spec, plus: false } : spec)
}

/** Formats %#v. Width and precision apply to scalars only. */
function sourceText(value: unknown, spec: Spec): string {
  const string = stringIn(value)
  if (string !== undefined) return stringText(string, { ...spec, verb: 'q', sharp: false, plus: false })
  if (isInteger(value)) return integerText(BigInt(value), { ...spec, verb: 'd', sharp: false, plus: false })
  return typeof value === 'object' ? goSyntax(value) : padded(goSyntax(value), spec)
}

function valueText(value: unknown, spec: Spec): string {
  if (value === null || value === undefined) return spec.verb === 'v' || spec.verb === 's' ? padded('', spec) : ''
  if (typeof value === 'boolean')
    return spec.verb === 't' || spec.verb === 'v' ? padded(String(value), spec) : bad(value, spec)
  const string = stringIn(value)
  if (string !== undefined) return stringText(string, spec)
  if (Array.isArray(value)) return listText(value, spec)
  if (isMap(value)) return mapText(value, spec)
  if (value instanceof GoTime) return timeOperand(value, spec)
  if (value instanceof GoComplex) return complexOperand(value, spec)
  return numberOperand(value, spec)
}

function listText(list: readonly unknown[], spec: Spec): string {
  let text = '['
  list.forEach((item, at) => {
    text += (at === 0 ? '' : ' ') + valueText(item, spec)
    if (text.length > MAX_TEXT_LENGTH) throw new RangeError('a list prints more than 8 MiB')
  })
  return `${text}]`
}

function mapText(map: { [key: string]: unknown }, spec: Spec): string {
  let text = ''
  for (const key of sortedKeys(map)) {
    text += `${text === '' ? '' : ' '}${valueText(key, spec)}:${valueText(map[key], spec)}`
    if (text.length > MAX_TEXT_LENGTH) throw new RangeError('a map prints more than 8 MiB')
  }
  return `map[${text}]`
}

function bad(value: unknown, spec: Spec): string {
  return `%!${spec.verb}(${typeName(value)}=${valueText(value, { ...spec, verb: 'v' })})`
}

function timeOperand(time: GoTime, spec: Spec): string {
  return 'vsqxX'.includes(spec.verb) ? stringText(goText(time), spec) : bad(goText(time), spec)
}

function complexOperand(complex: GoComplex, spec: Spec): string {
  if (!'vfFgGeE'.includes(spec.verb)) return bad(complex, spec)
  const [re, im] = complex[RAW].map((part) => floatText(part, { ...spec, width: undefined }, goFloatText(part)))
  return padded(`(${re}${/^[+-]/.test(im ?? '') ? '' : '+'}${im}i)`, spec)
}

function numberOperand(value: unknown, spec: Spec): string {
  const number = numeric(value) ?? 0
  if (value instanceof GoFloat) return floatText(Number(number), spec, goFloatText(Number(number)), value)
  if (typeof number === 'number' && !Number.isInteger(number)) return floatText(number, spec, goText(number), value)
  return integerText(BigInt(number), spec)
}

function stringText(text: string, spec: Spec): string {
  const cut = spec.precision === undefined ? text : [...text].slice(0, spec.precision).join('')
  switch (spec.verb) {
    case 'v':
    case 's':
      return padded(cut, spec)
    case 'q':
      if (spec.sharp && /^[^`\p{Cc}\ufeff\ufffd]*$/u.test(cut.replaceAll('\t', ''))) return padded(`\`${cut}\``, spec)
      return padded(goQuote(cut, '"', spec.plus ? 'ascii' : 'unicode'), spec)
    case 'x':
    case 'X':
      return padded(hexText(Buffer.from(text), spec), spec)
    default:
      return bad(text, spec)
  }
}

function hexText(bytes: Buffer, spec: Spec): string {
  const used = spec.precision === undefined ? bytes : bytes.subarray(0, spec.precision)
  const pairs = [...used].map((byte) => byte.toString(16).padStart(2, '0'))
  if (pairs.length === 0) return ''
  const lead = spec.sharp ? '0x' : ''
  const text = spec.space ? pairs.map((pair) => lead + pair).join(' ') : lead + pairs.join('')
  return spec.verb === 'X' ? text.toUpperCase() : text
}

const BASES: { readonly [verb: string]: number } = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }

function integerText(value: bigint, spec: Spec): string {
  const base = BASES[spec.verb]
  if (base !== undefined) return digitsText(value, base, spec)
  const point = value < 0n || value > 0x10ffffn ? 0xfffd : Number(value)
  const character = point >= 0xd800 && point < 0xe000 ? '\ufffd' : String.fromCodePoint(point)
  switch (spec.verb) {
    case 'c':
      return padded(character, spec)
    case 'q':
      return padded(goQuote(character, "'", spec.plus ? 'ascii' : 'unicode'), spec)
    case 'U':
      return padded(unicodeText(value, character, spec), { ...spec, zero: false })
    default:
      return bad(value, spec)
  }
}

function unicodeText(value: bigint, character: string, spec: Spec): string {
  const code = `U+${BigInt.asUintN(64, value)
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, spec.precision ?? 4), '0')}`
  return spec.sharp && value >= 0n && value <= 0x10ffffn && isPrintable(character) ? `${code} '${character}'` : code
}

function digitsText(value: bigint, base: number, spec: Spec): string {
  const sign = value < 0n ? '-' : spec.plus ? '+' : spec.space ? ' ' : ''
  if (spec.precision === 0 && value === 0n) return ' '.repeat(spec.width ?? 0)
  const filled = spec.zero && spec.precision === undefined ? (spec.width ?? 0) - sign.length : 0
  let digits = (value < 0n ? -value : value).toString(base).padStart(Math.max(spec.precision ?? 0, filled), '0')
  if (spec.verb === 'O') digits = `0o${digits}`
  if (spec.sharp) digits = prefixed(digits, base)
  const text = sign + digits
  return padded(spec.verb === 'X' ? text.toUpperCase() : text, { ...spec, zero: false })
}

function prefixed(digits: string, base: number): string {
  if (base === 8) return digits.startsWith('0') ? digits : `0${digits}`
  return base === 16 ? `0x${digits}` : base === 2 ? `0b${digits}` : digits
}

function floatText(value: number, spec: Spec, plain: string, original: unknown = value): string {
  const text = floatDigits(value, spec, plain)
  if (text === undefined) return bad(original, spec)
  const unsigned = text.replace(/^[+-]/, '')
  const sign = text.startsWith('-') ? '-' : spec.plus || text.startsWith('+') ? '+' : spec.space ? ' ' : ''
  const shown = !spec.plus && text.startsWith('+') ? (spec.space ? ' ' : '+') : sign
  if (spec.zero && Number.isFinite(value)) return shown + unsigned.padStart((spec.width ?? 0) - shown.length, '0')
  return padded(shown + unsigned, { ...spec, zero: false })
}

function floatDigits(value: number, spec: Spec, plain: string): string | undefined {
  switch (spec.verb) {
    case 'v':
      return spec.precision === undefined ? plain : formatFloat(value, 'g', spec.precision)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
      return pointed(formatFloat(value, spec.verb as FloatVerb, spec.precision ?? 6), spec)
    case 'g':
    case 'G':
      return pointed(formatFloat(value, spec.verb, spec.precision ?? -1), spec)
    case 'x':
    case 'X':
      return hexFloat(value, spec)
    default:
      return undefined
  }
}

/** Applies the flag `#`: keeps the decimal point, and trailing zeros for %g. */
function pointed(text: string, { sharp, verb, precision = 6 }: Spec): string {
  if (!sharp || !/^[+-]?\d/.test(text)) return text
  const [mantissa = '', exponent = ''] = text.split(/(?=[eE])/)
  const whole = mantissa.includes('.') ? mantissa : `${mantissa}.`
  if (verb !== 'g' && verb !== 'G') return whole + exponent
  const digits = whole.replace(/^[+-]?(?:0\.0*(?=[1-9]))?|\./g, '').length
  return whole + '0'.repeat(Math.max(0, Math.max(1, precision) - digits)) + exponent
}

/** Pads to the width in characters. */
function padded(text: string, { width = 0, minus, zero }: Spec): string {
  if (width <= text.length && width <= 0) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (minus) return text + ' '.repeat(missing)
  return (zero ? '0' : ' ').repeat(missing) + text
}
