import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApplyRate } from '../../../actors/store/apply-rate.ts'

test('what comes now and then is filed with its commit', () => {
  const rate = createApplyRate()
  for (let nowMs = 0; nowMs < 1_000; nowMs += 10) assert.ok(rate(40, 40, nowMs) >= 40)
})

test('a flood is filed a quarter as fast as it comes, in steps, and more of it when it ends', () => {
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

test('beyond the bound no more comes than is filed', () => {
  const rate = createApplyRate()
  for (let nowMs = 0; nowMs < 20; nowMs++) rate(1_000, 1_000, nowMs)
  assert.ok(rate(1_000, 60_000, 20) > 1_000)
})
