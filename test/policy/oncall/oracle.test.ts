import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShown } from '../../../src/policy/oncall/edge.ts'
import { compileSchedule, onCallAt } from '../../../src/policy/oncall/schedule.ts'
import { DAY_MS, HOUR_MS, type LocalMs } from '../../../src/policy/oncall/settings.ts'
import { layer, override, personWhenReached, schedule } from './setup.ts'

const MINUTE_MS = 60_000
const FROM = Date.UTC(2026, 8, 1)
const UNTIL = FROM + 400 * DAY_MS

/** Offsets of a zone for each hour from two days before the span to two days after it. */
function hourlyOffsets(timeZone: string): number[] {
  const shown = createShown(timeZone)
  const offsets: number[] = []
  for (let at = FROM - 2 * DAY_MS; at <= UNTIL + 2 * DAY_MS; at += HOUR_MS) offsets.push(shown(at) - at)
  return offsets
}

/** One zone of each class that shows the same times in the 400 days: zones that differ only in name are tested once. */
function classes(): Map<string, readonly number[]> {
  const found = new Map<string, [string, readonly number[]]>()
  const samples = Array.from({ length: 80 }, (_, at) => FROM + at * 5 * DAY_MS)
  for (const timeZone of [...Intl.supportedValuesOf('timeZone'), 'UTC']) {
    const shown = createShown(timeZone)
    const key = samples.map((at) => shown(at) - at).join()
    if (!found.has(key)) found.set(key, [timeZone, []])
  }
  return new Map(Array.from(found.values(), ([zone]) => [zone, hourlyOffsets(zone)]))
}

/** Yields each minute of the span with the largest local time that clocks have shown: no local time becomes an instant. */
function* minutes(timeZone: string, hourly: readonly number[]): Generator<[number, LocalMs]> {
  const shown = createShown(timeZone)
  let reached = Number.NEGATIVE_INFINITY
  for (const [hour, offset] of hourly.entries()) {
    const start = FROM - 2 * DAY_MS + hour * HOUR_MS
    const changes = hourly[hour + 1] !== offset
    for (let at = start; at < start + HOUR_MS; at += MINUTE_MS) {
      reached = Math.max(reached, changes ? shown(at) : at + offset)
      if (at >= FROM && at < UNTIL) yield [at, reached]
    }
  }
}

const hours = (from: number, until: number) => ({ from: from * HOUR_MS, until: until * HOUR_MS })
const nights = Array.from({ length: 7 }, (_, day) => hours(day * 24 + 22.5, day * 24 + 26.5))
const LAYERS = [
  layer({ every: { count: 1, unit: 'day' }, start: '2026-01-05T00:00', members: ['a', 'b', 'c'] }),
  layer({ every: { count: 5, unit: 'hour' }, start: '2025-12-31T02:30', turns: 'on_duty', on: nights }),
  layer({ every: { count: 1, unit: 'month' }, start: '2025-01-31T02:00', on: [hours(0, 120)], members: ['d', 'nobody', 'e'] }),
  layer({ every: { count: 1, unit: 'week' }, start: '2026-01-05T01:30', until: '2027-03-28T02:15', members: ['f', 'g'] }),
]
const SCHEDULES = [
  ...[[0], [1], [1, 2], [2, 3], [3, 1, 2]].map((chosen) => chosen.flatMap((nth) => LAYERS[nth] ?? [])),
].map((layers) => ({
  layers,
  overrides: [
    override('2026-10-25T00:30', '2026-10-25T02:30', { person: 'h' }),
    override('2027-03-14T02:30', '2027-03-28T02:30', { person: 'i', insteadOf: 'a' }),
  ],
}))

test('in every class of time zones each edge is at the minute at which clocks reach it first', () => {
  const zones = classes()
  assert.ok(zones.size >= 50, `${zones.size} classes`)
  for (const [timeZone, hourly] of zones) {
    const compiled = SCHEDULES.map((given) => {
      const settings = schedule({ timeZone, ...given })
      const { shifts, ...rest } = compileSchedule(settings, { from: FROM, until: UNTIL })
      const edges = new Set(shifts.flatMap(({ from }) => [from - MINUTE_MS, from, from + MINUTE_MS]))
      return { settings, edges, compiled: { shifts, ...rest } }
    })
    let nth = 0
    for (const [minute, reached] of minutes(timeZone, hourly)) {
      const isSample = nth++ % 211 === 0
      for (const { settings, edges, compiled: each } of compiled)
        if (isSample || edges.has(minute)) {
          const expected = personWhenReached(settings, reached)
          if (onCallAt(each, minute).person !== expected)
            assert.fail(`${timeZone} ${new Date(minute).toISOString()}: ${onCallAt(each, minute).person}, not ${expected}`)
        }
    }
  }
})
