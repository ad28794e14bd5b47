import { createRequire } from 'node:module'
import type { RRuleTemporal } from 'rrule-temporal'

interface RecurrenceSettings {
  readonly rrule: string
  /** Local date and time `2026-01-06T02:00`. */
  readonly start: string
  readonly timeZone: string
}

const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/
/** Frequencies that cron cannot space, such as every second week. For shorter ones there is cron. */
const FREQUENCIES = /(?:^|;)FREQ=(?:YEARLY|MONTHLY|WEEKLY|DAILY)(?:;|$)/
const PARTS = /^[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*$/

/**
 * Returns a function that finds the first start after a time, both in epoch milliseconds; infinity when there is none.
 * A start that daylight saving time skips does not occur. Throws an error whose message follows the name of a key.
 */
export function createRecurrence({ rrule, start, timeZone }: RecurrenceSettings): (after: number) => number {
  const [, year, month, day, hour, minute] = LOCAL_TIME.exec(start) ?? []
  if (year === undefined) throw new Error('needs a "start" such as 2026-01-06T02:00')
  if (!PARTS.test(rrule) || !FREQUENCIES.test(rrule))
    throw new Error('must be a rule such as FREQ=WEEKLY;INTERVAL=2;BYDAY=TU, of days, weeks, months or years')
  const dtstart = `DTSTART;TZID=${timeZone}:${year}${month}${day}T${hour}${minute}00`
  const rule = open(`${dtstart}\nRRULE:${rrule}`)
  return (after) => rule.next(new Date(after))?.epochMilliseconds ?? Number.POSITIVE_INFINITY
}

const require = createRequire(import.meta.url)

/** Loads the library, which takes ten milliseconds, only when a schedule needs it; configuration is read synchronously. */
function open(rruleString: string): RRuleTemporal {
  const library: typeof import('rrule-temporal') = require('rrule-temporal')
  return new library.RRuleTemporal({ rruleString })
}
