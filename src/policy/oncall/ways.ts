import { createShown, ZoneClock } from './edge.ts'
import type { OncallPerson, Quiet } from './escalation.ts'
import { DAY_MS } from './settings.ts'

interface At {
  /** Epoch milliseconds. */
  readonly now: number
  /** Severity rank of the problem. */
  readonly level: number
}

interface PlannedPage {
  /** Number of the way, from 0. */
  readonly way: number
  /** Epoch milliseconds. */
  readonly dueAt: number
  /** End of the quiet hours that it waits for, if it does. */
  readonly quietUntil?: number
}

const MINUTE_MS = 60_000

/** Returns a page for each way of a person who is asked now. One that would be due in quiet hours waits for their end. */
export function pagesOf(person: OncallPerson, { now, level }: At): readonly PlannedPage[] {
  const quietUntilOf = quietHours(person, level)
  const awakeAt = quietUntilOf(now)
  return person.ways.map(({ afterMs }, way) => {
    const at = (awakeAt ?? now) + afterMs
    const quietUntil = quietUntilOf(at) ?? awakeAt
    return { way, dueAt: Math.max(at, quietUntil ?? at), ...(quietUntil !== undefined && { quietUntil }) }
  })
}

/** Returns the end of the quiet hours of a person in which a problem waits now; undefined: it does not. */
export const isQuietUntil = (person: OncallPerson, { now, level }: At) => quietHours(person, level)(now)

type QuietUntil = (instant: number) => number | undefined

/** A clock takes some 100 us to open, and a few for a day that it knows. */
const known = new WeakMap<OncallPerson, QuietUntil>()

/** Returns the function that returns the end of the quiet hours which hold an instant. */
function quietHours(person: OncallPerson, level: number): QuietUntil {
  const { quiet, timeZone } = person
  if (quiet === undefined || level <= quiet.belowRank) return () => undefined
  const found = known.get(person) ?? openHours(quiet, timeZone)
  known.set(person, found)
  return found
}

function openHours({ from, until }: Quiet, timeZone: string): QuietUntil {
  const clock = new ZoneClock(timeZone)
  const shown = createShown(timeZone)
  const length = until - from + (until <= from ? DAY_MS / MINUTE_MS : 0)
  return (instant) => {
    const today = Math.floor(shown(instant) / DAY_MS) * DAY_MS
    // At midnight clocks may have shown tomorrow, and been set back.
    for (const day of [today - DAY_MS, today, today + DAY_MS]) {
      const begin = day + from * MINUTE_MS
      const end = clock.instantOf(begin + length * MINUTE_MS)
      if (clock.instantOf(begin) <= instant && instant < end) return end
    }
  }
}
