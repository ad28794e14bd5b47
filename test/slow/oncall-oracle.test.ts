import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShown } from '../../src/policy/oncall/edge.ts'
import { compileSchedule } from '../../src/policy/oncall/schedule.ts'
import { DAY_MS, HOUR_MS } from '../../src/policy/oncall/settings.ts'
import { layer, override, peopleByMinute, schedule } from '../policy/oncall/setup.ts'

const MINUTE_MS = 60_000
const FROM = Date.UTC(2026, 8, 1)
const UNTIL = FROM + 400 * DAY_MS

const AROUND_MS = 2 * DAY_MS
/** Between two of these times no zone changes twice. */
const STEP_MS = 6 * HOUR_MS

/** Returns the classes of zones that show the same times in the 400 days, by one of their names. */
function classes(): Map<string, string> {
  const samples = Array.from({ length: 80 }, (_, at) => FROM + at * 5 * DAY_MS)
  const found = new Map<string, string>()
  for (const timeZone of [...Intl.supportedValuesOf('timeZone'), 'UTC']) {
    const shown = createShown(timeZone)
    found.set(samples.map((at) => shown(at) - at).join(), timeZone)
  }
  return found
}

/** Returns the largest local time that clocks have shown until each minute. No local time becomes an instant. */
function reachedByMinute(timeZone: string): Float64Array {
  const shown = createShown(timeZone)
  const found = new Float64Array((UNTIL - FROM) / MINUTE_MS)
  let reached = Number.NEGATIVE_INFINITY
  for (let step = FROM - AROUND_MS; step < UNTIL; step += STEP_MS) {
    const offset = shown(step) - step
    const changes = shown(step + STEP_MS) - step - STEP_MS !== offset
    for (let at = step; at < step + STEP_MS; at += MINUTE_MS) {
      reached = Math.max(reached, changes ? shown(at) : at + offset)
      if (at >= FROM && at < UNTIL) found[(at - FROM) / MINUTE_MS] = reached
    }
  }
  return found
}

const hours = (from: number, until: number) => ({ from: from * HOUR_MS, until: until * HOUR_MS })
const nights = Array.from({ length: 7 }, (_, day) => hours(day * 24 + 22.5, day * 24 + 26.5))
const LAYERS = [
  layer({ every: { count: 1, unit: 'day' }, start: '2026-01-05T00:00', members: ['a', 'b', 'c'] }),
  layer({ every: { count: 5, unit: 'hour' }, start: '2025-12-31T02:30', turns: 'on_duty', on: nights }),
  layer({
    every: { count: 1, unit: 'month' },
    start: '2025-01-31T02:00',
    on: [hours(0, 120)],
    members: ['d', 'nobody', 'e'],
  }),
  layer({
    every: { count: 1, unit: 'week' },
    start: '2026-01-05T01:30',
    until: '2027-03-28T02:15',
    members: ['f', 'g'],
  }),
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

test('in every class of time zones each minute has the person of the local time that clocks have reached', () => {
  const zones = classes()
  assert.ok(zones.size >= 50, `${zones.size} classes`)
  const expected = SCHEDULES.map((given) => peopleByMinute(schedule(given), FROM - AROUND_MS, UNTIL + AROUND_MS))
  for (const timeZone of zones.values()) {
    const reached = reachedByMinute(timeZone)
    for (const [nth, given] of SCHEDULES.entries()) {
      const { shifts } = compileSchedule(schedule({ timeZone, ...given }), { from: FROM, until: UNTIL })
      const people = expected[nth] ?? []
      let at = 0
      for (let minute = 0; minute < reached.length; minute++) {
        const now = FROM + minute * MINUTE_MS
        while (now >= (shifts[at]?.until ?? 0)) at++
        const wanted = people[((reached[minute] ?? 0) - FROM + AROUND_MS) / MINUTE_MS]
        if (shifts[at]?.person !== wanted)
          assert.fail(
            `${timeZone}, schedule ${nth}, ${new Date(now).toISOString()}: ${shifts[at]?.person}, not ${wanted}`,
          )
      }
      assert.equal(at, shifts.length - 1)
    }
  }
})
