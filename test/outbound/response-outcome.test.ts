import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOfFailure, outcomeOfStatus, PostFailure, retryAfterMs } from '../../src/outbound/response-outcome.ts'

const NOW = Date.UTC(2026, 10, 1, 12)
const reading = { secrets: ['s3cret'], now: NOW }
const answer = (status: number, body = '', headers = {}) => outcomeOfStatus({ status, headers, body }, reading)

test('every status has one outcome', () => {
  const kinds = (statuses: number[]) => [...new Set(statuses.map((status) => answer(status).kind))]
  assert.deepEqual(kinds([200, 201, 202, 204]), ['sent'])
  assert.deepEqual(kinds([408, 425, 429, 500, 502, 503, 504, 599]), ['retry'])
  assert.deepEqual(kinds([301, 302, 307, 308, 400, 401, 403, 404, 410, 413, 422]), ['failed'])
})

test('a reason quotes the status and the provider’s message without secrets', () => {
  assert.deepEqual(answer(500, 'no\n s3cret'), { kind: 'retry', reason: 'HTTP 500: no [redacted]' })
  assert.deepEqual(answer(404), { kind: 'failed', reason: 'HTTP 404' })
})

test('Retry-After is read in all its forms', () => {
  const forms: [string | undefined, number | undefined][] = [
    ['120', 120_000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Sun, 01 Nov 2026 12:00:30 GMT', 30_000],
    ['Sunday, 01-Nov-26 12:00:30 GMT', 30_000],
    ['Sun, 01 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [value, ms] of forms) assert.equal(retryAfterMs(value, NOW), ms, String(value))
})

test('a failure may duplicate only when the request was written', () => {
  assert.deepEqual(outcomeOfFailure(new PostFailure(false, 'refused s3cret'), ['s3cret']), {
    kind: 'retry',
    reason: 'refused [redacted]',
  })
  assert.deepEqual(outcomeOfFailure(new PostFailure(true, 'reset'), []), {
    kind: 'retry',
    reason: 'reset',
    mayDuplicate: true,
  })
})
