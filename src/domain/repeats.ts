import { grouped, lasted } from './delivery/notice.ts'
import type { Status } from './incident.ts'

/** Number and times of the incidents of a problem that a message tells of besides its own. */
export interface Repeats {
  /** Firing incidents since the problem began to fire, the first one included. */
  readonly count: number
  /** Begin of the problem, and its latest incident or its end. Epoch milliseconds. */
  readonly since: number
  readonly until: number
  /** The problem does not fire any more; or, if it flaps, that is over. */
  readonly over: boolean
  /** Present for a problem that flaps: its incidents since it did, and its state now. */
  readonly flapping?: { readonly firing: number; readonly resolved: number; readonly state: Status }
}

/**
 * Returns the line that a message ends with: `🔁 ×14 since 03:12 UTC, last 03:40 UTC`, or
 * `🔁 flapping: fired ×7, resolved ×6 since 03:12 UTC, last 03:40 UTC`.
 */
export function repeatsLine({ count, since, until, over, flapping }: Repeats): string {
  if (flapping !== undefined) return flappingLine({ since, until, over }, flapping)
  const number = count > 1 ? [`×${grouped(count)}`] : []
  if (over) return `🔁 ${[...number, `fired for ${lasted(until - since)}`].join(', ')}`
  return `🔁 ${[...number, period(since, until)].join(' ')}`
}

function flappingLine(
  { since, until, over }: Pick<Repeats, 'since' | 'until' | 'over'>,
  { firing, resolved, state }: NonNullable<Repeats['flapping']>,
): string {
  const numbers = `fired ×${grouped(firing)}, resolved ×${grouped(resolved)}`
  if (!over) return `🔁 flapping: ${numbers} ${period(since, until)}`
  return `🔁 flapping is over, ${state === 'firing' ? 'still firing' : 'resolved'}: ${numbers} in ${lasted(until - since)}`
}

function period(since: number, until: number): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const time = (at: number) => `${new Date(at).toISOString().slice(11, 16)} UTC`
  const date = day(since) === day(until) ? '' : `${day(since)} `
  return `since ${date}${time(since)}, last ${time(until)}`
}
