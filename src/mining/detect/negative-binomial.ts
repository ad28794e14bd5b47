const COEFFICIENTS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/**
 * Natural logarithm of the gamma function for x >= 0.5. Lanczos approximation, g = 7, nine terms; relative error below
 * 1e-13.
 */
function logGamma(x: number): number {
  const z = x - 1
  const series = COEFFICIENTS.reduce((sum, coefficient, i) => sum + coefficient / (z + i + 1), 0.9999999999998099)
  const t = z + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(series)
}

/** Natural logarithm of the gamma function for any x > 0, by the recurrence. */
const logGammaSmall = (x: number) => (x < 0.5 ? logGamma(x + 1) - Math.log(x) : logGamma(x))

const MAX_TERMS = 10_000
const NEGLIGIBLE = 1e-6

/**
 * Returns the probability of a count of at least `count`. Negative binomial; Poisson when the variance is not larger
 * than the mean. The relative error is about 1e-6. Returns 1 for counts up to the mean, which no caller needs.
 */
export function upperTailProbability(count: number, mean: number, variance: number): number {
  if (count <= mean) return 1
  const size = variance > mean ? (mean * mean) / (variance - mean) : Number.POSITIVE_INFINITY
  const ratio = mean / (mean + size)
  let term = size === Number.POSITIVE_INFINITY ? poisson(count, mean) : negativeBinomial(count, size, ratio)
  let sum = 0
  for (let k = count; k < count + MAX_TERMS && term > sum * NEGLIGIBLE; k++) {
    sum += term
    term *= size === Number.POSITIVE_INFINITY ? mean / (k + 1) : ((k + size) / (k + 1)) * ratio
  }
  return Math.min(1, sum)
}

function poisson(count: number, mean: number): number {
  return Math.exp(count * Math.log(mean) - mean - logGamma(count + 1))
}

function negativeBinomial(count: number, size: number, ratio: number): number {
  const ways = logGammaSmall(count + size) - logGammaSmall(size) - logGamma(count + 1)
  return Math.exp(ways + size * Math.log1p(-ratio) + count * Math.log(ratio))
}
