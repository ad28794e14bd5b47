import { createShown } from '../../../policy/oncall/edge.ts'
import { localText } from '../../../policy/oncall/local-time.ts'
import type { LocalMs } from '../../../policy/oncall/settings.ts'
import { plain } from '../receivers.ts'
import type { Rendering, Tree } from './translated.ts'

const MINUTE_MS = 60_000
export const DAY = 1_440
export const WEEK = 7 * DAY
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** A part of each week, in minutes: `from` of 0 is Monday 00:00, `minutes` are at most a week. */
export interface Window {
  readonly from: number
  readonly minutes: number
}

/** Returns the windows of one that begins each day. */
export const daily = ({ from, minutes }: Window) => DAYS.map((_, day) => ({ from: day * DAY + from, minutes }))

/** Returns whether some minute of the week is in both lists; an empty one is always. */
export const meet = (some: readonly Window[], others: readonly Window[]): boolean =>
  some.length === 0 ||
  others.length === 0 ||
  some.some((a) =>
    others.some((b) =>
      [-WEEK, 0, WEEK].some((week) => a.from < b.from + b.minutes + week && b.from + week < a.from + a.minutes),
    ),
  )

/** Returns windows as `on` has them; those of the same hours are one text. */
function onTexts(windows: readonly Window[]): string[] {
  const byHours = new Map<string, number[]>()
  const overDays: string[] = []
  for (const { from, minutes } of windows) {
    const [day, end] = [Math.floor(from / DAY), Math.floor((from + minutes) / DAY)]
    const [start, stop] = [hour(from), hour(from + minutes)]
    if (minutes > DAY) overDays.push(`${DAYS[day % 7]} ${start} - ${DAYS[end % 7]} ${stop}`)
    else byHours.set(`${start}-${stop}`, [...(byHours.get(`${start}-${stop}`) ?? []), day % 7].sort())
  }
  return [...Array.from(byHours, ([hours, days]) => `${daysText(days)} ${hours}`), ...overDays]
}

function daysText(days: readonly number[]): string {
  const [first = 0, last = first] = [days[0], days.at(-1)]
  const inOrder = days.every((day, nth) => day === first + nth)
  return inOrder && days.length > 2 ? `${DAYS[first]}-${DAYS[last]}` : days.map((day) => DAYS[day]).join()
}

const hour = (minutes: number) => localText(minutes * MINUTE_MS).slice(11)

/** Returns the first whole minute that is not before an instant. */
export const minuteFrom = (instant: number): number => Math.ceil(instant / MINUTE_MS) * MINUTE_MS

/** Returns the function that gives the local time of instants, in whole minutes. */
export function localTimes(timeZone: string): (instant: number) => LocalMs {
  const shown = createShown(timeZone)
  return (instant) => shown(minuteFrom(instant))
}

const dateTime = (local: LocalMs) => localText(local).replace(' ', 'T')

/** Returns a layer as it is written. */
export function layerTree({
  name,
  start,
  until,
  every,
  windows,
  members,
}: {
  readonly name: string
  readonly start: LocalMs
  readonly until: LocalMs | undefined
  readonly every: readonly [count: number, unit: string]
  readonly windows: readonly Window[]
  readonly members: readonly string[]
}): Tree {
  const [date, at] = localText(start).split(' ')
  return {
    ...(name && { name: plain(name) }),
    ...{ start: date, at },
    ...(until !== undefined && { until: dateTime(until) }),
    every: `${every[0]} ${every[1]}${every[0] === 1 ? '' : 's'}`,
    ...(windows.length > 0 && { on: onTexts(windows) }),
    members,
  }
}

/** Returns a schedule as it is written. */
export function scheduleTree(timeZone: string, layers: readonly Tree[], overrides: Rendering['duties']): Tree {
  const local = localTimes(timeZone)
  const text = (instant: number) => dateTime(local(instant))
  const written = overrides.map(({ from, until, who }) => ({ from: text(from), until: text(until), person: who }))
  const named = layers.map((layer, nth) => {
    const same = layers.slice(0, nth).filter(({ name }) => name !== undefined && name === layer.name).length
    return same === 0 ? layer : { ...layer, name: `${layer.name} (${same + 1})` }
  })
  return { time_zone: timeZone, layers: named, ...(written.length > 0 && { overrides: written }) }
}
