const MICROS_PER_MS = 1_000
const DIGITS = 16

/** Milliseconds since 1970 with fractions. Clocks of all processes on a machine agree. */
export const preciseNow = () => performance.timeOrigin + performance.now()

/** Returns a text that carries the time at which a message was due. Templates print it unchanged. */
export function dueTimeText(dueMs: number): string {
  return `t${Math.round(dueMs * MICROS_PER_MS)
    .toString()
    .padStart(DIGITS, '0')}e`
}

/** Milliseconds since the first due time in a text; undefined when it has none. */
export function msSinceDue(text: string): number | undefined {
  const [, micros] = DUE_TIME.exec(text) ?? []
  return micros === undefined ? undefined : preciseNow() - Number(micros) / MICROS_PER_MS
}
const DUE_TIME = new RegExp(`t(\\d{${DIGITS}})e`)
