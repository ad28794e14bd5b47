import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filingPace } from '../../../actors/store/apply-rate.ts'

test('what comes now and then is filed with its commit', () => {
  const pace = filingPace()
  for (let nowMs = 0; nowMs < 1_000; nowMs += 10) assert.ok(pace(40, 40, nowMs) >= 40)
})

test('a flood is filed a quarter as fast as it comes, in steps, and more of it when it ends', () => {
  const pace = filingPace()
  let [waiting, filed] = [0, 0]
  for (let nowMs = 0; nowMs < 100; nowMs++) {
    waiting += 60
    const step = pace(60, waiting, nowMs)
    filed += step
    waiting -= step
  }
  assert.ok(filed > 6_000 * 0.2 && filed < 6_000 * 0.3, `${filed} of 6,000`)
  assert.equal(pace(0, waiting, 101), 0)
  assert.ok(pace(0, waiting, 130) >= 100)
})

test('beyond the bound no more comes than is filed', () => {
  const pace = filingPace()
  for (let nowMs = 0; nowMs < 20; nowMs++) pace(1_000, 1_000, nowMs)
  assert.ok(pace(1_000, 60_000, 20) > 1_000)
})
