import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { imported } from './imported.ts'

const WITH_INTERVALS = `global: { resolve_timeout: 10m }
route:
  receiver: all
  routes:
    - receiver: all
      matchers: [team="web"]
      mute_time_intervals: [nights, month end]
    - receiver: all
      matchers: [team="db"]
      active_time_intervals: [office]
    - receiver: all
      matchers: [team="x"]
      active_time_intervals: [month end]
    - receiver: all
      matchers: [team="y"]
      active_time_intervals: [shifts]
receivers: [{ name: all, webhook_configs: [{ url: http://hook.example.test }] }]
time_intervals:
  - name: nights
    time_intervals:
      - times: [{ start_time: '20:00', end_time: '24:00' }, { start_time: '00:00', end_time: '06:30' }]
        weekdays: ['monday:friday', sunday]
        location: Europe/Berlin
  - name: office
    time_intervals: [{ times: [{ start_time: '09:00', end_time: '17:00' }], weekdays: ['monday:friday'] }]
  - name: shifts
    time_intervals: [{ weekdays: [saturday] }, { times: [{ start_time: '22:00', end_time: '06:00' }] }]
mute_time_intervals:
  - name: month end
    time_intervals: [{ days_of_month: ['-3:-1', '1'], months: ['january:march', '12'], years: ['2026'] }]
  - name: strange
    time_intervals: [{ days_of_month: ['40'] }]
`

test('time intervals become schedules, and mute and active intervals of a route silences', async (t) => {
  const { file, report } = await imported(t, WITH_INTERVALS)
  const { config } = loadConfig({ file, env: {} })
  assert.equal(config.intake.alertmanager.resolveTimeoutMs, 600_000)
  const berlin = { timeZone: 'Europe/Berlin' }
  const nights = [
    { cron: '0 20 * * 1,2,3,4,5,0', forMs: 4 * 3_600_000, ...berlin },
    { cron: '0 0 * * 1,2,3,4,5,0', forMs: 6.5 * 3_600_000, ...berlin },
  ]
  const monthEnd = [
    {
      rrule: 'FREQ=DAILY;BYMONTH=1,2,3,12;BYMONTHDAY=-3,-2,-1,1',
      start: '2026-01-01T00:00',
      forMs: 24 * 3_600_000,
      timeZone: 'UTC',
    },
  ]
  assert.deepEqual(Object.fromEntries(config.schedules), {
    nights,
    office: [{ cron: '0 9 * * 1,2,3,4,5', forMs: 8 * 3_600_000, timeZone: 'UTC' }],
    shifts: [{ cron: '0 0 * * 6', forMs: 24 * 3_600_000, timeZone: 'UTC' }],
    month_end: monthEnd,
  })
  const afterWork = (day: number, hours: number) => ({
    cron: `0 17 * * ${day}`,
    forMs: hours * 3_600_000,
    timeZone: 'UTC',
  })
  assert.deepEqual(
    config.silences.map(({ name, conditions, schedule }) => [name, conditions[0]?.values, schedule]),
    [
      ['mute nights of route.routes.0', ['web'], nights],
      ['mute month end of route.routes.0', ['web'], monthEnd],
      ['outside office of route.routes.1', ['db'], [1, 2, 3, 4, 5].map((day) => afterWork(day, day === 5 ? 64 : 16))],
    ],
  )
  for (const message of [
    'mute_time_intervals.0.time_intervals.0.years: is not taken over',
    'mute_time_intervals.1.time_intervals.0: is not taken over: a range in it cannot be read',
    'route.routes.2.active_time_intervals: month end is not taken over',
    'route.routes.3.active_time_intervals: shifts is not taken over',
  ])
    assert.ok(report.includes(message), `${message}\n${report}`)
})

/** Keys of Alertmanager's configuration beside those of receivers, as its documentation lists them. */
const ALL_KEYS = `global: {}
templates: []
route:
  receiver: all
  group_by: [alertname]
  continue: false
  matchers: []
  match: {}
  match_re: {}
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  mute_time_intervals: []
  active_time_intervals: []
  labels: {}
  routes: []
inhibit_rules:
  - name: one
    source_match: { a: b }
    source_match_re: {}
    source_matchers: []
    target_match: { a: c }
    target_match_re: {}
    target_matchers: []
    equal: []
receivers: [{ name: all }]
mute_time_intervals: []
time_intervals: []
tracing: {}
event_recorder: {}
`

test('every key of the file and of a route is known; one that is not is named', async (t) => {
  const { report } = await imported(t, ALL_KEYS)
  assert.doesNotMatch(report, /that this program knows/)
  const misspelt = await imported(
    t,
    ALL_KEYS.replace('repeat_interval', 'repeat_intervall').replace('tracing', 'trace'),
  )
  assert.match(misspelt.report, /yml:12: route\.repeat_intervall: is not a key of a route that this program knows/)
  assert.match(misspelt.report, /yml:29: trace: is not a key of Alertmanager that this program knows/)
})
