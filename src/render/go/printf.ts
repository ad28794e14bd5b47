import { formatFloat, goFloatText } from './format-float.ts'
import { checkedText, goText, listText, mapText } from './go-format.ts'
import { goQuote } from './go-quote.ts'
import { GoFloat, GoTime, isInteger, isMap, numeric, stringIn, typeName } from './values.ts'

const MAX_NUMBER = 1e6

/** `[n]`, which selects the next operand. Bounded: a format of many `%[` without `]` would take quadratic time. */
const INDEX = String.raw`(\[(?:[^\]]{0,99}\])?)?`
const VERB = new RegExp(String.raw`%([#0+\- ]*)${INDEX}(\*|\d*)(?:(\.)${INDEX}(\*|\d*))?${INDEX}([\s\S]?)`, 'gu')

/** A verb with its flags, width and precision. */
interface Spec {
  readonly verb: string
  readonly minus: boolean
  readonly plus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  readonly width: number
  readonly precision: number | undefined
}

/** The operands of one call, in the order in which the format takes them. */
class Operands {
  /** False after an index that selects none. */
  isGood = true
  private readonly all: readonly unknown[]
  private used = 0
  private reordered = false

  constructor(all: readonly unknown[]) {
    this.all = all
  }

  get areUsedUp(): boolean {
    return this.used >= this.all.length
  }

  /** Operands that the format does not take. */
  get rest(): readonly unknown[] {
    return this.reordered ? [] : this.all.slice(this.used)
  }

  next(): unknown {
    return this.all[this.used++]
  }

  select(index: string | undefined): void {
    if (index === undefined) return
    const wanted = Number(/^\[(\d+)\]$/.exec(index)?.[1] ?? 0)
    this.reordered = true
    if (wanted >= 1 && wanted <= this.all.length) this.used = wanted - 1
    else this.isGood = false
  }

  /** Returns a width or precision, which `*` takes from an operand; NaN for an operand that is none. */
  number(written: string | undefined): number | undefined {
    if (written !== '*') return written ? Number(written) : undefined
    const operand = this.areUsedUp ? undefined : this.next()
    return isInteger(operand) && Math.abs(Number(operand)) <= MAX_NUMBER ? Number(operand) : Number.NaN
  }
}

/** Converts the text of one operand before it is appended, for example by escaping. */
type Finish = (text: string, operand: unknown) => string

/** Equals Go's Sprintf. Bad verbs and missing operands print as in Go, for example `%!d(MISSING)`. */
export function sprintf(format: string, all: readonly unknown[], finish: Finish): string {
  const operands = new Operands(all)
  let out = ''
  let at = 0
  for (const match of format.matchAll(VERB)) {
    const [whole, flags = '', first, starOrWidth, point, second, starOrPrecision, third, verb = ''] = match
    out += format.slice(at, match.index)
    at = match.index + whole.length
    operands.isGood = true
    operands.select(first)
    let width = operands.number(starOrWidth)
    operands.select(second)
    let precision = operands.number(starOrPrecision) ?? (point ? 0 : undefined)
    operands.select(third)
    if (Number.isNaN(width)) [out, width] = [`${out}%!(BADWIDTH)`, undefined]
    if (precision !== undefined && !(precision >= 0)) [out, precision] = [`${out}%!(BADPREC)`, undefined]
    if (verb === '' || Math.max(width ?? 0, precision ?? 0) > MAX_NUMBER)
      return `${out}%!(NOVERB)${extra(operands, finish)}`
    const minus = flags.includes('-') || (width ?? 0) < 0
    const [plus, sharp, space] = [flags.includes('+'), flags.includes('#'), flags.includes(' ')]
    const spec = { verb, minus, plus, sharp, space, zero: flags.includes('0') && !minus, precision }
    out = checkedText(out + verbText(operands, { ...spec, width: Math.abs(width ?? 0) }, finish))
  }
  return out + format.slice(at) + extra(operands, finish)
}

function verbText(operands: Operands, spec: Spec, finish: Finish): string {
  if (spec.verb === '%') return '%'
  if (!operands.isGood) return `%!${spec.verb}(BADINDEX)`
  if (operands.areUsedUp) return `%!${spec.verb}(MISSING)`
  const operand = operands.next()
  return finish(operandText(operand, spec), operand)
}

function extra({ rest }: Operands, finish: Finish): string {
  if (rest.length === 0) return ''
  const shown = rest.map((operand) =>
    operand === null || operand === undefined ? '<nil>' : `${typeName(operand)}=${finish(goText(operand), operand)}`,
  )
  return checkedText(`%!(EXTRA ${shown.join(', ')})`)
}

/**
 * Formats one operand, with padding. A verb that does not fit the type prints as `%!d(string=hi)`, and so does the flag
 * `#`, except in %#v of a scalar.
 */
function operandText(operand: unknown, spec: Spec): string {
  const { verb, sharp } = spec
  if (verb === 'T') return stringText(typeName(operand), { ...spec, verb: 's' })
  if (sharp && (verb !== 'v' || (typeof operand === 'object' && stringIn(operand) === undefined)))
    return bad(operand, { ...spec, sharp: false })
  if (sharp && stringIn(operand) !== undefined) return valueText(operand, { ...spec, verb: 'q' })
  return valueText(operand, verb === 'v' ? { ...spec, plus: false } : spec)
}

function valueText(value: unknown, spec: Spec): string {
  if (value === null || value === undefined) return 'vs'.includes(spec.verb) ? padded('', spec) : ''
  if (typeof value === 'boolean') return 'tv'.includes(spec.verb) ? padded(String(value), spec) : bad(value, spec)
  const string = stringIn(value)
  if (string !== undefined) return stringText(string, spec)
  const show = (item: unknown) => valueText(item, spec)
  if (Array.isArray(value)) return listText(value, show)
  if (isMap(value)) return mapText(value, show)
  if (value instanceof GoTime) return stringText(goText(value), spec)
  const number = numeric(value) ?? 0
  if (value instanceof GoFloat || (typeof number === 'number' && !Number.isInteger(number)))
    return floatText(value, Number(number), spec)
  return integerText(BigInt(number), spec)
}

function bad(value: unknown, spec: Spec): string {
  return `%!${spec.verb}(${typeName(value)}=${valueText(value, { ...spec, verb: 'v' })})`
}

function stringText(text: string, spec: Spec): string {
  const { verb, precision, space } = spec
  const cut = precision === undefined ? text : [...text].slice(0, precision).join('')
  switch (verb) {
    case 'v':
    case 's':
      return padded(cut, spec)
    case 'q':
      return padded(goQuote(cut, '"'), spec)
    case 'x':
    case 'X': {
      const pairs = Array.from(Buffer.from(text).subarray(0, precision), (byte) => byte.toString(16).padStart(2, '0'))
      return padded(inCase(pairs.join(space ? ' ' : ''), spec), spec)
    }
    default:
      return bad(text, spec)
  }
}

const inCase = (text: string, { verb }: Spec) => (verb === 'X' ? text.toUpperCase() : text)

const BASES: { readonly [verb: string]: number } = { d: 10, v: 10, b: 2, o: 8, x: 16, X: 16 }

function integerText(value: bigint, spec: Spec): string {
  const { verb, plus, space, zero, precision, width } = spec
  const base = BASES[verb]
  if (base === undefined) {
    if (verb !== 'c' && verb !== 'q') return bad(value, spec)
    const point = value < 0n || value > 0x10ffffn ? 0xfffd : Number(value)
    const character = String.fromCodePoint(point).toWellFormed()
    return padded(verb === 'q' ? goQuote(character, "'") : character, spec)
  }
  if (precision === 0 && value === 0n) return ' '.repeat(width)
  const sign = value < 0n ? '-' : plus ? '+' : space ? ' ' : ''
  const filled = zero && precision === undefined ? width - sign.length : 0
  const digits = (value < 0n ? -value : value).toString(base).padStart(Math.max(precision ?? 0, filled), '0')
  return padded(inCase(sign + digits, spec), { ...spec, zero: false })
}

/** @param operand is named when the verb does not fit */
function floatText(operand: unknown, value: number, spec: Spec): string {
  const text = floatDigits(operand, value, spec)
  if (text === undefined) return bad(operand, spec)
  const inherent = /^[+-]/.exec(text)?.[0] ?? ''
  const sign = inherent === '-' ? '-' : spec.plus ? '+' : spec.space ? ' ' : inherent
  const unsigned = text.slice(inherent.length)
  if (spec.zero && Number.isFinite(value)) return sign + unsigned.padStart(spec.width - sign.length, '0')
  return padded(sign + unsigned, { ...spec, zero: false })
}

function floatDigits(operand: unknown, value: number, { verb, precision }: Spec): string | undefined {
  switch (verb) {
    case 'v':
      if (precision !== undefined) return formatFloat(value, 'g', precision)
      return operand instanceof GoFloat ? goFloatText(value) : goText(value)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
      return formatFloat(value, verb, precision ?? 6)
    case 'g':
    case 'G':
      return formatFloat(value, verb, precision ?? -1)
    default:
      return undefined
  }
}

/** Pads to the width in characters. */
function padded(text: string, { width, minus, zero }: Spec): string {
  if (width === 0) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text
}
