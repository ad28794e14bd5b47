import { localOf } from '../../../src/policy/oncall/local-time.ts'
import { ZoneClock } from '../../../src/policy/oncall/edge.ts'
import {
  DAY_MS,
  type LocalMs,
  type OncallLayer,
  type OncallSchedule,
  type Override,
  WEEK_MS,
} from '../../../src/policy/oncall/settings.ts'

export const local = (written: string): LocalMs => localOf(written) ?? Number.NaN

export const instant = (written: string, timeZone: string) => new ZoneClock(timeZone).instantOf(local(written))

type Given = Partial<Omit<OncallLayer, 'start' | 'until' | 'editions'>> & {
  readonly start?: string
  readonly until?: string
  readonly members?: readonly string[]
  readonly editions?: OncallLayer['editions']
}

export function layer({ start = '2026-01-05T09:00', until, members = ['ada', 'ben'], ...given }: Given = {}): OncallLayer {
  const date = local(start) - (local(start) % DAY_MS)
  return {
    ...{ name: 'weeks', where: '', every: { count: 1, unit: 'week' }, on: [], turns: 'calendar' },
    editions: [{ date, members }],
    ...given,
    start: local(start),
    ...(until !== undefined && { until: local(until) }),
  }
}

export function override(from: string, until: string, given: Partial<Override> & { person: string }): Override {
  return { ...{ id: '1', where: '', by: '', reason: '' }, from: local(from), until: local(until), ...given }
}

export const schedule = (given: Partial<OncallSchedule> = {}): OncallSchedule => ({
  ...{ where: '', timeZone: 'Europe/Berlin', gaps: 'forbidden', layers: [layer()], overrides: [] },
  ...given,
})

const MONDAY_MS = 4 * DAY_MS

/**
 * Names who is on call once clocks have reached a local time, by counting: another algorithm than that of the product,
 * without zones, instants, periods or sorted lists.
 */
export function personWhenReached({ layers, overrides }: OncallSchedule, reached: LocalMs): string | undefined {
  let person: string | undefined
  for (const each of layers.toReversed()) person = memberWhenReached(each, reached) ?? person
  for (const { from, until, insteadOf, person: cover } of overrides)
    if (from <= reached && reached < until && (insteadOf === undefined || insteadOf === person))
      person = cover === 'nobody' ? undefined : cover
  return person
}

function memberWhenReached(layer: OncallLayer, reached: LocalMs): string | undefined {
  const { start, until, editions } = layer
  if (reached < start || (until !== undefined && reached >= until) || !isOn(layer, reached)) return undefined
  const mine = counted(layer, reached)
  let list = editions[0]
  let since = 0
  for (const edition of editions) {
    const first = mine.findIndex(({ from }) => from >= edition.date)
    if (first < 0) break
    list = edition
    since = first
  }
  const turn = mine.findLastIndex(({ counts }) => counts)
  const before = mine.slice(since, turn).filter(({ counts }) => counts).length
  const member = list?.members[before % list.members.length]
  return member === 'nobody' ? undefined : member
}

interface CountedTurn {
  readonly from: LocalMs
  readonly counts: boolean
}

/** Turns until the local time, by layer: each is made once. */
const made = new WeakMap<OncallLayer, CountedTurn[]>()

function counted(layer: OncallLayer, reached: LocalMs): CountedTurn[] {
  const turns = made.get(layer) ?? []
  made.set(layer, turns)
  for (;;) {
    const from = nth(layer, turns.length)
    if (from > reached + 2 * WEEK_MS) break
    turns.push({ from, counts: layer.turns === 'calendar' || minutesOn(layer, from, nth(layer, turns.length + 1)) })
  }
  return turns.slice(0, turns.findLastIndex(({ from }) => from <= reached) + 1)
}

function nth({ start, every: { count, unit } }: OncallLayer, turn: number): LocalMs {
  const date = new Date(start)
  if (unit === 'hour') date.setUTCHours(date.getUTCHours() + turn * count)
  if (unit === 'day') date.setUTCDate(date.getUTCDate() + turn * count)
  if (unit === 'week') date.setUTCDate(date.getUTCDate() + turn * count * 7)
  if (unit === 'month') {
    const day = date.getUTCDate()
    date.setUTCDate(1)
    date.setUTCMonth(date.getUTCMonth() + turn * count)
    const month = date.getUTCMonth()
    date.setUTCDate(day)
    while (date.getUTCMonth() !== month) date.setUTCDate(date.getUTCDate() - 1)
  }
  return date.getTime()
}

function minutesOn(layer: OncallLayer, from: LocalMs, until: LocalMs): boolean {
  for (let at = from; at < until; at += 60_000) if (isOn(layer, at)) return true
  return false
}

const isOn = ({ on }: OncallLayer, at: LocalMs) =>
  on.length === 0 ||
  on.some(({ from, until }) => {
    const inWeek = (at - MONDAY_MS) % WEEK_MS
    return (from <= inWeek && inWeek < until) || (from <= inWeek + WEEK_MS && inWeek + WEEK_MS < until)
  })
