import { ZoneClock } from '../../../src/policy/oncall/edge.ts'
import { localOf } from '../../../src/policy/oncall/local-time.ts'
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

export function layer({
  start = '2026-01-05T09:00',
  until,
  members = ['ada', 'ben'],
  ...given
}: Given = {}): OncallLayer {
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
const MINUTE_MS = 60_000

/**
 * Returns who is on call once clocks have reached each local minute, by counting: another algorithm than that of the
 * product, without zones, instants and periods.
 */
export function peopleByMinute({ layers, overrides }: OncallSchedule, from: LocalMs, until: LocalMs) {
  const walks = layers.map((each) => memberWalk(each, until))
  return Array.from({ length: (until - from) / MINUTE_MS }, (_, minute) => {
    const reached = from + minute * MINUTE_MS
    const members = walks.map((memberAt) => memberAt(reached))
    let person = members.find((member) => member !== undefined)
    for (const each of overrides)
      if (each.from <= reached && reached < each.until && (each.insteadOf ?? person) === person)
        person = each.person === 'nobody' ? undefined : each.person
    return person
  })
}

/** Returns a function that names the member of a layer at a local time; times must rise. */
function memberWalk(layer: OncallLayer, end: LocalMs): (reached: LocalMs) => string | undefined {
  const { start, until = Number.POSITIVE_INFINITY, editions } = layer
  let turn = 0
  let edition = 0
  let dutiesSince = 0
  const counts = (nth: number) =>
    layer.turns === 'calendar' || minutesOn(layer, handover(layer, nth), handover(layer, nth + 1))
  const last = handoversUntil(layer, end)
  return (reached) => {
    while ((last[turn + 1] ?? Number.POSITIVE_INFINITY) <= reached) {
      if (counts(turn)) dutiesSince++
      turn++
      while ((editions[edition + 1]?.date ?? Number.POSITIVE_INFINITY) <= (last[turn] ?? 0)) {
        edition++
        dutiesSince = 0
      }
    }
    if (reached < start || reached >= until || !isOn(layer, reached)) return undefined
    const members = editions[edition]?.members ?? []
    const member = members[dutiesSince % members.length]
    return member === 'nobody' ? undefined : member
  }
}

function handoversUntil(layer: OncallLayer, end: LocalMs): LocalMs[] {
  const found = [layer.start]
  while ((found.at(-1) ?? 0) <= end) found.push(handover(layer, found.length))
  return found
}

function handover({ start, every: { count, unit } }: OncallLayer, turn: number): LocalMs {
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
  for (let at = from; at < until; at += MINUTE_MS) if (isOn(layer, at)) return true
  return false
}

const isOn = ({ on }: OncallLayer, at: LocalMs) =>
  on.length === 0 ||
  on.some(({ from, until }) => {
    const inWeek = (at - MONDAY_MS) % WEEK_MS
    return (from <= inWeek && inWeek < until) || (from <= inWeek + WEEK_MS && inWeek + WEEK_MS < until)
  })
