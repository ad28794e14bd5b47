import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogRateLimiter } from '../../src/telemetry/log-rate-limiter.ts'

test('after a burst one line is allowed each period, with the number of those left out', () => {
  const limiter = new LogRateLimiter(2, 1_000, 0)
  const suppressed = [0, 1, 2, 3, 500, 1_001, 1_002, 5_000].map((now) => limiter.take(now))
  assert.deepEqual(suppressed, [0, 0, undefined, undefined, undefined, 3, undefined, 1])
})
