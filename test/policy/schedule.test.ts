import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSchedule, type ScheduleSettings, Schedules } from '../../src/policy/schedule.ts'

const HOUR = 3_600_000
const at = (time: string) => Date.parse(time)

function states(schedule: ScheduleSettings, times: readonly string[]): readonly boolean[] {
  const state = compileSchedule(schedule)
  return times.map((time) => state(at(time)).active)
}

test('a window is active from its start until just before its end', () => {
  const office: ScheduleSettings = [{ cron: '0 8 * * MON-FRI', forMs: 10 * HOUR, timeZone: 'Europe/Berlin' }]
  assert.deepEqual(
    states(office, [
      '2026-11-23T06:59:59.999Z',
      '2026-11-23T07:00:00.000Z',
      '2026-11-23T16:59:59.999Z',
      '2026-11-23T17:00:00.000Z',
      '2026-11-22T12:00:00.000Z',
    ]),
    [false, true, true, false, false],
  )
})

test('a start that daylight saving time skips comes at the end of the gap, and one that occurs twice counts once', () => {
  const nightly: ScheduleSettings = [{ cron: '30 2 * * *', forMs: HOUR, timeZone: 'Europe/Berlin' }]
  const spring = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-03-29T01:59:59Z', '2026-03-29T02:00:00Z']
  assert.deepEqual(states(nightly, spring), [false, true, true, false])
  const autumn = ['2026-10-25T00:29:59Z', '2026-10-25T00:30:00Z', '2026-10-25T01:29:59Z', '2026-10-25T01:30:00Z']
  assert.deepEqual(states(nightly, autumn), [false, true, true, false])
})

test('a recurrence rule says what cron cannot: every second week', () => {
  const fortnightly: ScheduleSettings = [
    {
      rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU',
      start: '2026-01-06T02:00',
      forMs: HOUR,
      timeZone: 'Europe/Berlin',
    },
  ]
  const tuesdays = ['2026-11-10T01:30:00Z', '2026-11-17T01:30:00Z', '2026-11-24T01:30:00Z', '2026-12-01T01:30:00Z']
  assert.deepEqual(states(fortnightly, tuesdays), [true, false, true, false])
})

test('a schedule without another start stays as it is', () => {
  const once = compileSchedule([
    { rrule: 'FREQ=DAILY;COUNT=1', start: '2026-01-06T02:00', forMs: HOUR, timeZone: 'UTC' },
  ])
  assert.deepEqual(once(at('2026-01-07T00:00:00Z')), { active: false, until: Number.POSITIVE_INFINITY })
})

test('several windows add up, also where they overlap', () => {
  const both: ScheduleSettings = [
    { cron: '0 8 * * *', forMs: 2 * HOUR, timeZone: 'UTC' },
    { cron: '0 9 * * *', forMs: 2 * HOUR, timeZone: 'UTC' },
    { cron: '*/30 12 * * *', forMs: HOUR, timeZone: 'UTC' },
  ]
  const times = ['07:59', '08:30', '10:30', '11:00', '12:00', '13:29', '13:30'].map((time) => `2026-11-23T${time}:00Z`)
  assert.deepEqual(states(both, times), [false, true, true, false, true, true, false])
})

test('nothing changes before the time that a state names', () => {
  const schedule: ScheduleSettings = [
    { cron: '0 8,9 * * *', forMs: 90 * 60_000, timeZone: 'Europe/Berlin' },
    { cron: '15 */6 * * *', forMs: 20 * 60_000, timeZone: 'America/New_York' },
  ]
  const stateAt = compileSchedule(schedule)
  const minutes = Array.from({ length: 2 * 24 * 60 }, (_, minute) => at('2026-03-28T12:00:00Z') + minute * 60_000)
  let until = 0
  let active = false
  let edges = 0
  for (const now of minutes) {
    const state = stateAt(now)
    if (now < until) assert.equal(state.active, active, new Date(now).toISOString())
    else edges++
    assert.ok(state.until > now)
    ;({ until, active } = state)
  }
  assert.ok(edges > 10)
})

test('schedules are evaluated at their edges, and again when the clock was set back', () => {
  let evaluations = 0
  const schedules = new Schedules(new Map([['a', [{ cron: '0 8 * * *', forMs: HOUR, timeZone: 'UTC' }]]]), {
    compile: (settings) => {
      const stateAt = compileSchedule(settings)
      return (now) => {
        evaluations++
        return stateAt(now)
      }
    },
  })
  const isActive = (time: string) => schedules.active(at(time)).has('a')
  assert.deepEqual(
    ['07:00', '07:30', '07:59', '08:00', '08:30', '09:00', '08:10'].map((time) => isActive(`2026-11-23T${time}:00Z`)),
    [false, false, false, true, true, false, true],
  )
  assert.equal(evaluations, 4)
})
