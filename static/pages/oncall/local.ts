/** Local date and time of a zone, as the epoch milliseconds of the same date and time in UTC. */
export type LocalMs = number

export const DAY_MS = 86_400_000

/** Returns the function that shows an instant in a time zone, in whole minutes. */
export function localIn(timeZone: string): (instant: number) => LocalMs {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    hourCycle: 'h23',
  })
  return (instant) => Date.parse(`${format.format(instant).replace(' ', 'T')}Z`)
}

/** Returns the Monday of the week. 5 January 1970 was one. */
export const mondayOf = (local: LocalMs): LocalMs => {
  const since = local - 4 * DAY_MS
  return local - (((since % (7 * DAY_MS)) + 7 * DAY_MS) % (7 * DAY_MS))
}

/** Returns `2026-12-24T18:00`, as fields and the API have it. */
export const fieldText = (local: LocalMs): string => new Date(local).toISOString().slice(0, 16)

const dayAndTime = new Intl.DateTimeFormat(undefined, {
  ...{ timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
})
const part = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options })
const [weekday, day, month] = [part({ weekday: 'short' }), part({ day: 'numeric' }), part({ month: 'short' })]

/** Returns `Mon 30` and `Nov`. */
export const dayTexts = (local: LocalMs): readonly [day: string, month: string] => [
  `${weekday.format(local)} ${day.format(local)}`,
  month.format(local),
]

/** Returns an edge of a shift by the clocks of the zone; null: it is not known. */
export const edgeText = (edge: string | null, timeZone: string): string =>
  edge === null ? 'always' : dayAndTime.format(localIn(timeZone)(Date.parse(edge)))
