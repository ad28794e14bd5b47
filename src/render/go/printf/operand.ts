import { formatFloat, goFloatText } from '../format-float.ts'
import { goText, MAX_TEXT_LENGTH } from '../go-format.ts'
import { goQuote } from '../go-quote.ts'
import { GoFloat, GoTime, isMap, numeric, sortedKeys, stringIn, typeName } from '../values.ts'

/** A verb with its flags, width and precision. */
export interface Spec {
  readonly verb: string
  readonly minus: boolean
  readonly plus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  readonly width: number | undefined
  readonly precision: number | undefined
}

/**
 * Formats one operand, with padding. A verb that does not fit the type prints as `%!d(string=hi)`, and so does the flag
 * `#`, except in %#v of a scalar.
 */
export function operandText(operand: unknown, spec: Spec): string {
  if (spec.verb === 'T') return stringText(typeName(operand), { ...spec, verb: 's' })
  const { verb, sharp } = spec
  if (sharp && (verb !== 'v' || (typeof operand === 'object' && stringIn(operand) === undefined)))
    return bad(operand, { ...spec, sharp: false })
  if (sharp && stringIn(operand) !== undefined) return valueText(operand, { ...spec, verb: 'q' })
  return valueText(operand, verb === 'v' ? { ...spec, plus: false } : spec)
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
      return padded(goQuote(cut, '"'), spec)
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
  const text = pairs.join(spec.space ? ' ' : '')
  return spec.verb === 'X' ? text.toUpperCase() : text
}

const BASES: { readonly [verb: string]: number } = { d: 10, v: 10, b: 2, o: 8, x: 16, X: 16 }

function integerText(value: bigint, spec: Spec): string {
  const base = BASES[spec.verb]
  if (base !== undefined) return digitsText(value, base, spec)
  if (spec.verb !== 'c' && spec.verb !== 'q') return bad(value, spec)
  const point = value < 0n || value > 0x10ffffn ? 0xfffd : Number(value)
  const character = String.fromCodePoint(point).toWellFormed()
  return padded(spec.verb === 'q' ? goQuote(character, "'") : character, spec)
}

function digitsText(value: bigint, base: number, spec: Spec): string {
  const sign = value < 0n ? '-' : spec.plus ? '+' : spec.space ? ' ' : ''
  if (spec.precision === 0 && value === 0n) return ' '.repeat(spec.width ?? 0)
  const filled = spec.zero && spec.precision === undefined ? (spec.width ?? 0) - sign.length : 0
  const digits = (value < 0n ? -value : value).toString(base).padStart(Math.max(spec.precision ?? 0, filled), '0')
  const text = sign + digits
  return padded(spec.verb === 'X' ? text.toUpperCase() : text, { ...spec, zero: false })
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
      return formatFloat(value, spec.verb, spec.precision ?? 6)
    case 'g':
    case 'G':
      return formatFloat(value, spec.verb, spec.precision ?? -1)
    default:
      return undefined
  }
}

/** Pads to the width in characters. */
function padded(text: string, { width = 0, minus, zero }: Spec): string {
  if (width <= text.length && width <= 0) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (minus) return text + ' '.repeat(missing)
  return (zero ? '0' : ' ').repeat(missing) + text
}
