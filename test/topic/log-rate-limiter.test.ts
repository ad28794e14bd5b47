import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogRateLimiter } from '../../src/topic/log-rate-limiter.ts'

test('after a burst one line comes every so often, with the number of those left out', () => {
  const budget = new LogRateLimiter(2, 1_000, 0)
  const said = [0, 1, 2, 3, 500, 1_001, 1_002, 5_000].map((now) => budget.take(now))
  assert.deepEqual(said, [0, 0, undefined, undefined, undefined, 3, undefined, 1])
})
