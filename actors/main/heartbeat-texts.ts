import type { Reason } from '../../src/domain/heartbeat.ts'

/** Returns why a heartbeat does not beat: `is missing`, `failed with 3`, `runs for longer than 2h`. */
export function reasonText(why: Reason, maxRunMs: number | undefined): string {
  switch (why.kind) {
    case 'silence':
      return 'is missing'
    case 'overrun':
      return maxRunMs === undefined ? 'runs for too long' : `runs for longer than ${durationText(maxRunMs)}`
    case 'failure':
      return why.exitStatus === undefined ? 'failed' : `failed with ${why.exitStatus}`
    default:
      return why satisfies never
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** Returns a time as the configuration writes it, such as `1h30m`. */
function durationText(ms: number): string {
  let [rest, text] = [ms, '']
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs)
    if (count > 0) text += `${count}${unit}`
    rest -= count * unitMs
  }
  return text
}
