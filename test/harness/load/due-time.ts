const MICROS_PER_MS = 1_000
const DIGITS = 16

/** Milliseconds since 1970 with their fractions; the same in every process of the machine. */
export const preciseNow = () => performance.timeOrigin + performance.now()

/** A text for a message that says when it was to be sent; templates leave it as it is. */
export function markOf(atMs: number): string {
  return `t${Math.round(atMs * MICROS_PER_MS)
    .toString()
    .padStart(DIGITS, '0')}e`
}

/** Milliseconds from the time that the first mark in a text tells; undefined when there is none. */
export function sinceMark(text: string): number | undefined {
  const [, micros] = MARK.exec(text) ?? []
  return micros === undefined ? undefined : preciseNow() - Number(micros) / MICROS_PER_MS
}
const MARK = new RegExp(`t(\\d{${DIGITS}})e`)
