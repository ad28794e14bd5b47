import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs, fullJitterMs } from '../../src/domain/delivery/backoff.ts'
import { decide, type RetryPolicy } from '../../src/domain/delivery/retry.ts'

const POLICY: RetryPolicy = { attempts: 4, initialMs: 1_000, maxMs: 5_000 }
const HOUR_MS = 3_600_000

test('a backoff doubles up to its maximum, for any number of failures', () => {
  const delays = [1, 2, 3, 4, 5, 1e9].map((failures) => backoffMs(failures, POLICY))
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
})

test('full jitter spreads delays between zero and the backoff', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((random) => fullJitterMs(2, POLICY, random)),
    [0, 1_000, 2_000],
  )
})

test('a message that was sent or refused for good is not tried again', () => {
  assert.deepEqual(decide({ kind: 'sent' }, 1, POLICY, 0.5), { state: 'sent' })
  assert.deepEqual(decide({ kind: 'failed', reason: 'no such chat' }, 1, POLICY, 0.5), {
    state: 'dead',
    reason: 'no such chat',
  })
})

test('a message is tried again until its last attempt, which names the reason', () => {
  const delays = [1, 2, 3].map((attempt) => decide({ kind: 'retry', reason: 'HTTP 503' }, attempt, POLICY, 1))
  assert.deepEqual(
    delays,
    [1_000, 2_000, 4_000].map((delayMs) => ({ state: 'pending', delayMs })),
  )
  assert.deepEqual(decide({ kind: 'retry', reason: 'HTTP 503' }, 4, POLICY, 1), {
    state: 'dead',
    reason: 'gave up after 4 attempts: HTTP 503',
  })
})

test("the provider's own delay counts beyond the maximum, up to an hour", () => {
  const delayFor = (afterMs: number) => decide({ kind: 'retry', reason: 'HTTP 429', afterMs }, 1, POLICY, 0)
  assert.deepEqual(delayFor(60_000), { state: 'pending', delayMs: 60_000 })
  assert.deepEqual(delayFor(10 * HOUR_MS), { state: 'pending', delayMs: HOUR_MS })
  assert.deepEqual(delayFor(-1), { state: 'pending', delayMs: 0 })
})
