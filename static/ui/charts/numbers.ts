const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

export const count = (n: number) => whole.format(n)
/** Formats 10,000 and more in a compact form: `1.2M`. */
export const short = (n: number) => (n < 10_000 ? count(n) : compact.format(n))
/** Formats a rate; below 100 with one decimal. */
export const rate = (n: number) => (n < 100 ? tenths.format(n) : short(n))
export const percent = (share: number) =>
  `${share > 0.999 && share < 1 ? '99.9' : tenths.format(Math.floor(share * 1_000) / 10)} %`

/** Formats milliseconds, from 1,000 on in seconds; a dash when nothing was measured. */
export function latency(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  if (ms < 10) return `${tenths.format(ms)} ms`
  return ms < 1_000 ? `${whole.format(ms)} ms` : `${tenths.format(ms / 1_000)} s`
}

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB']

export function bytes(n: number): string {
  const step = n < 1 ? 0 : Math.min(STEPS.length - 1, Math.floor(Math.log10(n) / 3))
  return `${tenths.format(n / 1_000 ** step)} ${STEPS[step]}`
}

export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`
