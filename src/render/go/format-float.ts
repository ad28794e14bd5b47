/** Decimal value of a finite float: 0.DIGITS * 10^point, without trailing zeros. Zero has no digits. */
interface Decimal {
  readonly digits: string
  readonly point: number
}

/** The most digits after the first that JavaScript gives. */
const EXACT = 100

/** Returns the first 101 digits of the value; without `decimals` the fewest that parse to it. */
function decimalOf(value: number, decimals?: number): Decimal {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential(decimals).split('e')
  const digits = mantissa.replace('.', '')
  return trimmed({ digits: value === 0 ? '' : digits, point: Number(exponent) + 1 })
}

const trimmed = ({ digits, point }: Decimal): Decimal => {
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? { digits: '', point: 0 } : { digits: kept, point }
}

/** Rounds to `count` digits, half to even, as Go does. */
function rounded(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal
  if (count >= digits.length) return decimal
  if (count < 0) return { digits: '', point: 0 }
  const rest = digits.slice(count)
  const odd = count > 0 && Number(digits[count - 1]) % 2 === 1
  const up = rest === '5' ? odd : (rest[0] ?? '0') >= '5'
  if (!up) return trimmed({ digits: digits.slice(0, count), point })
  const raised = (BigInt(`0${digits.slice(0, count)}`) + 1n).toString().padStart(count, '0')
  return trimmed({ digits: raised, point: point + raised.length - count })
}

function fixed({ digits, point }: Decimal, decimals: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  if (decimals <= 0) return whole
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, decimals)) + digits
  return `${whole}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`
}

function scientific({ digits, point }: Decimal, decimals: number): string {
  const exponent = digits === '' ? 0 : point - 1
  const fraction = decimals > 0 ? `.${digits.slice(1, decimals + 1).padEnd(decimals, '0')}` : ''
  const sign = exponent < 0 ? '-' : '+'
  return `${digits[0] ?? '0'}${fraction}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

type FloatVerb = 'e' | 'E' | 'f' | 'F' | 'g' | 'G'

/** Formats as Go's strconv.FormatFloat does. `precision` -1 gives the shortest text that parses to the same value. */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (!Number.isFinite(value)) return sign === '' ? '+Inf' : '-Inf'
  const text = sign + magnitude(value, verb.toLowerCase(), precision)
  return verb === 'E' || verb === 'G' ? text.toUpperCase() : text
}

function magnitude(value: number, verb: string, precision: number): string {
  if (verb === 'f') return fixedMagnitude(value, precision)
  const shortest = precision < 0
  const decimal = decimalOf(value, shortest ? undefined : EXACT)
  if (verb === 'e') {
    const kept = shortest ? decimal : rounded(decimal, precision + 1)
    return scientific(kept, shortest ? Math.max(0, kept.digits.length - 1) : precision)
  }
  const wanted = precision === 0 ? 1 : precision
  const kept = shortest ? decimal : rounded(decimal, wanted)
  let threshold = shortest ? 6 : wanted
  if (threshold > kept.digits.length && kept.digits.length >= kept.point) threshold = kept.digits.length
  if (shortest) threshold = 6
  const exponent = kept.point - 1
  if (kept.digits !== '' && (exponent < -4 || exponent >= threshold)) return scientific(kept, kept.digits.length - 1)
  return fixed(kept, Math.max(0, kept.digits.length - kept.point))
}

const MAX_TO_FIXED = 1e15

function fixedMagnitude(value: number, precision: number): string {
  if (precision < 0) {
    const decimal = decimalOf(value)
    return fixed(decimal, Math.max(0, decimal.digits.length - decimal.point))
  }
  const size = Math.abs(value)
  // toFixed rounds half up, Go half to even. The remainder is 1 only when the value is exactly half.
  if (precision <= 15 && size < MAX_TO_FIXED && (size * 10 ** precision * 2) % 2 !== 1) return size.toFixed(precision)
  const decimal = decimalOf(value, EXACT)
  return fixed(rounded(decimal, decimal.point + precision), precision)
}

/** Returns the text of a JSON number: integers in full, fractions as the shortest decimal, never with an exponent. */
export function jsonNumberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString()
  const text = String(value)
  return text.includes('e') ? formatFloat(value, 'f', -1) : text
}

/** Returns the text that Go prints for a float64. */
export const goFloatText = (value: number): string => formatFloat(value, 'g', -1)
