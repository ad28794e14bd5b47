import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contradicted, createShown } from '../../../src/policy/oncall/edge.ts'
import { compileSchedule } from '../../../src/policy/oncall/schedule.ts'
import { DAY_MS, HOUR_MS } from '../../../src/policy/oncall/settings.ts'
import { instant, layer, local, schedule } from './setup.ts'

const BERLIN = createShown('Europe/Berlin')
const isRight = (written: string, at: number) => contradicted(new Map([[local(written), at]]), BERLIN).length === 0

test('edges are compared with what Intl shows: too early, too late and the second pass are found', () => {
  const times = ['2026-06-01T09:00', '2027-03-28T02:00', '2027-03-28T02:30', '2026-10-25T02:30', '2026-10-25T03:00']
  for (const written of times) {
    const edge = instant(written, 'Europe/Berlin')
    const found = [0, -1, 1, -60, 60].map((minutes) => isRight(written, edge + minutes * 60_000))
    assert.deepEqual(found, [true, false, false, false, false], written)
  }
})

test('two changes of clocks within 60 days are seen: Casablanca in the Ramadan of 2020', () => {
  const span = { from: Date.UTC(2020, 2, 1), until: Date.UTC(2020, 6, 1) }
  const layers = [layer({ start: '2020-01-01T09:00', every: { count: 1, unit: 'day' } })]
  const { edges, shifts } = compileSchedule(schedule({ timeZone: 'Africa/Casablanca', layers }), span)
  const shown = createShown('Africa/Casablanca')
  assert.deepEqual(contradicted(edges, shown), [])
  assert.deepEqual(new Set(shifts.map(({ from }) => (shown(from) % DAY_MS) / HOUR_MS)), new Set([9]))
  assert.deepEqual(new Set(shifts.map(({ from, until }) => (until - from) / HOUR_MS)), new Set([23, 24, 25]))
})
