import type { ZoneClock } from './edge.ts'
import {
  DAY_MS,
  type Every,
  HOUR_MS,
  type LocalMs,
  NOBODY,
  type OncallLayer,
  type OnDuty,
  type Span,
  WEEK_MS,
} from './settings.ts'

/** Local times are at most this far from the same number read as an instant. */
const ZONES_MS = 2 * DAY_MS
const UNIT_MS = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS } as const
/** 5 January 1970. */
const MONDAY_MS = 4 * DAY_MS

/** A stretch in which a layer has a person. */
interface Duty extends Span {
  readonly person: string
}

/** Returns the stretches in which a layer has a person that touch the span, in order. */
export function dutiesOf(layer: OncallLayer, clock: ZoneClock, span: Span): Duty[] {
  const turns = [...turnsOf(layer, clock, span)]
  return layer.on.length === 0 ? turns : both(turns, windowsOf(layer.on, clock, span))
}

function* turnsOf(layer: OncallLayer, clock: ZoneClock, span: Span): Generator<Duty> {
  const end = layer.until === undefined ? Number.POSITIVE_INFINITY : clock.instantOf(layer.until)
  const memberOf = members(layer)
  const edge = (turn: number) => clock.instantOf(handover(layer, turn))
  for (let turn = Math.max(0, turnsBefore(layer, span.from - ZONES_MS) - 1); ; turn++) {
    const from = edge(turn)
    if (from >= Math.min(span.until, end)) return
    const until = Math.min(edge(turn + 1), end)
    const person = memberOf(turn)
    // Turns between equal instants are empty, and used up.
    if (until > Math.max(from, span.from) && person !== NOBODY) yield { from, until, person }
  }
}

/** Returns handover number `turn`; months count from the start, cut to the last day of the month. */
function handover({ start, every: { count, unit } }: OncallLayer, turn: number): LocalMs {
  if (unit !== 'month') return start + turn * count * UNIT_MS[unit]
  const date = new Date(start)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + turn * count]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (start % DAY_MS)
}

/** Returns the number of handovers before a local time. */
function turnsBefore(layer: OncallLayer, local: LocalMs): number {
  const { start, every } = layer
  const length = every.count * (every.unit === 'month' ? 32 * DAY_MS : UNIT_MS[every.unit])
  let turn = Math.max(0, Math.ceil((local - start) / length))
  while (handover(layer, turn) < local) turn++
  return turn
}

/** Returns the first handover on or after a local time. */
export const handoverFrom = (layer: OncallLayer, local: LocalMs) => handover(layer, turnsBefore(layer, local))

/** Returns the function that names the member of a turn. */
function members(layer: OncallLayer): (turn: number) => string {
  const dutiesBefore = dutyCounter(layer)
  const editions = layer.editions.map(({ date, members }) => ({ first: turnsBefore(layer, date), members }))
  return (turn) => {
    const edition = editions.findLast(({ first }) => first <= turn)
    if (edition === undefined) return NOBODY
    const nth = dutiesBefore(turn) - dutiesBefore(edition.first)
    return edition.members[nth % edition.members.length] ?? NOBODY
  }
}

/** Returns the function that counts the turns before a turn that are a member's. Weeks repeat, so it counts one period. */
function dutyCounter({ turns, on, every, start }: OncallLayer): (turn: number) => number {
  const length = lengthMs(every)
  if (turns === 'calendar' || on.length === 0 || length >= WEEK_MS) return (turn) => turn
  const period = WEEK_MS / divisor(length, WEEK_MS)
  const before = [0]
  for (let turn = 0; turn < period; turn++)
    before.push((before[turn] ?? 0) + (touches(on, start + turn * length, length) ? 1 : 0))
  return (turn) => Math.floor(turn / period) * (before[period] ?? 0) + (before[turn % period] ?? 0)
}

/** A month is longer than a week, which is all that counts here. */
const lengthMs = ({ count, unit }: Every) => count * (unit === 'month' ? 28 * DAY_MS : UNIT_MS[unit])
const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** Returns whether a turn, shorter than a week, has a local minute in one of the windows. */
function touches(on: readonly OnDuty[], turnStart: LocalMs, length: number): boolean {
  const start = (((turnStart - MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS
  return on.some(({ from, until }) =>
    [-WEEK_MS, 0, WEEK_MS].some((week) => from + week < start + length && start < until + week),
  )
}

/** Returns the windows of all weeks that touch the span, in order; those that meet are one. */
function windowsOf(on: readonly OnDuty[], clock: ZoneClock, { from, until }: Span): Span[] {
  const found: Span[] = []
  const first = Math.floor((from - ZONES_MS - MONDAY_MS) / WEEK_MS) - 1
  for (let monday = MONDAY_MS + first * WEEK_MS; monday < until + ZONES_MS; monday += WEEK_MS)
    for (const window of on)
      found.push({ from: clock.instantOf(monday + window.from), until: clock.instantOf(monday + window.until) })
  const joined: { from: number; until: number }[] = []
  for (const window of found.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && window.from <= last.until) last.until = Math.max(last.until, window.until)
    else joined.push({ ...window })
  }
  return joined
}

/** Returns the parts of the turns inside the windows. Both are in order. */
function both(turns: readonly Duty[], windows: readonly Span[]): Duty[] {
  const found: Duty[] = []
  let first = 0
  for (const turn of turns) {
    while ((windows[first]?.until ?? Number.POSITIVE_INFINITY) <= turn.from) first++
    for (let at = first; ; at++) {
      const window = windows[at]
      if (window === undefined || window.from >= turn.until) break
      const [from, until] = [Math.max(turn.from, window.from), Math.min(turn.until, window.until)]
      if (from < until) found.push({ ...turn, from, until })
    }
  }
  return found
}
