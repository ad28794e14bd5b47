import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplyRate } from '../../../actors/store/apply-rate.ts'

test('a light load is applied with its commit', () => {
  const rate = createApplyRate()
  for (let nowMs = 0; nowMs < 1_000; nowMs += 10) assert.ok(rate(40, 40, nowMs) >= 40)
})

test('a flood is applied at a quarter of its rate, in steps, and faster when it ends', () => {
  const rate = createApplyRate()
  let [waiting, applied] = [0, 0]
  for (let nowMs = 0; nowMs < 100; nowMs++) {
    waiting += 60
    const step = rate(60, waiting, nowMs)
    applied += step
    waiting -= step
  }
  assert.ok(applied > 6_000 * 0.2 && applied < 6_000 * 0.3, `${applied} of 6,000`)
  assert.equal(rate(0, waiting, 101), 0)
  assert.ok(rate(0, waiting, 130) >= 100)
})

test('above the bound more is applied than arrives', () => {
  const rate = createApplyRate()
  for (let nowMs = 0; nowMs < 20; nowMs++) rate(1_000, 1_000, nowMs)
  assert.ok(rate(1_000, 60_000, 20) > 1_000)
})
