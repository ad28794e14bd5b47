import { createHash } from 'node:crypto'
import { ICalCalendar, ICalCalendarMethod } from 'ical-generator'

/** A shift of a calendar. Times are epoch milliseconds, and finite. */
export interface FeedShift {
  readonly schedule: string
  readonly from: number
  readonly until: number
  /** Name of the person. */
  readonly name: string
  readonly because: string
}

const SECOND_MS = 1_000
const FIRST_SEQUENCE = Date.UTC(2026)

/**
 * Returns shifts as iCalendar, with times in UTC: without a VTIMEZONE Outlook moves local ones. Equal shifts make equal text. A
 * client that knows an event takes another one of its UID when SEQUENCE is higher, or DTSTAMP later.
 *
 * @param changedAt when one of the shifts may have changed last, epoch milliseconds
 */
export function feedOf(title: string, shifts: readonly FeedShift[], changedAt: number): string {
  const sequence = Math.max(0, Math.floor((changedAt - FIRST_SEQUENCE) / SECOND_MS))
  const at = new Date(changedAt)
  const calendar = new ICalCalendar({
    name: title,
    prodId: '//tocsin//on-call//EN',
    method: ICalCalendarMethod.PUBLISH,
  })
  for (const { schedule, from, until, name, because } of shifts)
    calendar.createEvent({
      // A shift has one begin in its schedule.
      id: `${schedule}-${from}@tocsin`,
      start: new Date(from),
      end: new Date(until),
      // The time of the answer would make another text each time.
      ...{ stamp: at, lastModified: at, sequence },
      summary: `${name}: ${schedule}`,
      description: because,
    })
  return calendar.toString()
}

export const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
