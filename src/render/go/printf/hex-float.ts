import { formatFloat } from '../format-float.ts'
import type { Spec } from './spec.ts'

const FRACTION_BITS = 52n

/**
 * Implements %x of a float: a hexadecimal mantissa and a power of two; rounded half to even to the precision, if there
 * is one.
 */
export function hexFloat(value: number, { verb, precision }: Spec): string {
  const text = Number.isFinite(value) ? finite(value, precision) : formatFloat(value, 'e', 0)
  return verb === 'X' ? text.toUpperCase() : text
}

function finite(value: number, precision: number | undefined): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const { mantissa, exponent } = normal(Math.abs(value))
  const kept = precision === undefined || precision >= 13 ? mantissa : rounded(mantissa, precision)
  const carried = kept >> (FRACTION_BITS + 1n) === 1n
  const digits = (kept & ((1n << FRACTION_BITS) - 1n)).toString(16).padStart(13, '0')
  const fraction =
    precision === undefined ? digits.replace(/0+$/, '') : digits.slice(0, precision).padEnd(precision, '0')
  const power = exponent + (carried ? 1 : 0)
  const shown = `${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
  return `${sign}0x${mantissa === 0n ? 0 : 1}${fraction === '' ? '' : `.${fraction}`}p${shown}`
}

/** Returns the mantissa with its leading bit at 2^52, and the exponent. */
function normal(value: number): { mantissa: bigint; exponent: number } {
  if (value === 0) return { mantissa: 0n, exponent: 0 }
  let exponent = Math.floor(Math.log2(value))
  let scaled = value / 2 ** exponent
  if (scaled >= 2) [scaled, exponent] = [scaled / 2, exponent + 1]
  if (scaled < 1) [scaled, exponent] = [scaled * 2, exponent - 1]
  return { mantissa: BigInt(scaled * 2 ** 52), exponent }
}

function rounded(mantissa: bigint, digits: number): bigint {
  const dropped = FRACTION_BITS - BigInt(digits) * 4n
  const unit = 1n << dropped
  const rest = mantissa % unit
  const down = mantissa - rest
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n === 1n)
  return up ? down + unit : down
}
