const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** Returns a time as the configuration writes it, such as `1h30m`. */
export function durationText(ms: number): string {
  let [rest, text] = [ms, '']
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs)
    if (count > 0) text += `${count}${unit}`
    rest -= count * unitMs
  }
  return text
}
