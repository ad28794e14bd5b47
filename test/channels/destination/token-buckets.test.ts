import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTokenBuckets } from '../../../src/channels/destination/token-buckets.ts'
import { ManualClock } from '../../../src/kernel/clock.ts'
import { forever } from '../setup.ts'

function given(perSecond: number, burst: number) {
  const clock = new ManualClock()
  const limiter = createTokenBuckets({ perSecond, burst }, clock)
  const waits: number[] = []
  const take = (destination = 'main') =>
    void limiter.acquire(destination, forever).then((waitedMs) => waits.push(waitedMs))
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  /** The waits that ended in the time that passes. */
  async function after(ms: number): Promise<number[]> {
    clock.advance(ms)
    await settle()
    return waits.splice(0)
  }
  return { clock, limiter, take, after }
}

test('a burst goes at once, then one message at a time, in order of asking', async () => {
  const { take, after } = given(2, 3)
  for (let n = 0; n < 5; n++) take()
  assert.deepEqual(await after(0), [0, 0, 0])
  assert.deepEqual(await after(499), [])
  assert.deepEqual(await after(1), [500])
  assert.deepEqual(await after(500), [1_000])
})

test('an idle destination saves up no more than its burst', async () => {
  const { take, after } = given(1, 2)
  await after(60_000)
  for (let n = 0; n < 4; n++) take()
  assert.deepEqual(await after(0), [0, 0])
})

test('destinations do not wait for each other', async () => {
  const { take, after } = given(1, 1)
  take('a')
  take('a')
  take('b')
  assert.deepEqual(await after(0), [0, 0])
})

test('a pause holds a destination back, waiting or not, and ends with one message', async () => {
  const { limiter, take, after } = given(1, 10)
  limiter.pause('main', 5_000)
  for (let n = 0; n < 3; n++) take()
  assert.deepEqual(await after(4_999), [])
  assert.deepEqual(await after(1), [5_000])
  assert.deepEqual(await after(1_000), [6_000])
  limiter.pause('main', 3_000)
  assert.deepEqual(await after(2_999), [])
  assert.deepEqual(await after(1), [9_000])
})

test('a shorter pause does not end a longer one', async () => {
  const { limiter, take, after } = given(1, 1)
  limiter.pause('main', 5_000)
  limiter.pause('main', 1_000)
  take()
  assert.deepEqual(await after(4_999), [])
  assert.deepEqual(await after(1), [5_000])
})

test('who gives up waiting leaves the place to the next', async () => {
  const { limiter, take, after } = given(1, 1)
  take()
  const stop = new AbortController()
  const given_up = assert.rejects(limiter.acquire('main', stop.signal), /enough/)
  take()
  stop.abort(new Error('enough'))
  await given_up
  await assert.rejects(limiter.acquire('main', stop.signal), /enough/)
  assert.deepEqual(await after(1_000), [0, 1_000])
})

test('says who waits, and how long others have waited', async () => {
  const { limiter, take, after } = given(0.5, 1)
  take()
  take()
  const first = { destination: 'main', waiting: 1, readyInMs: 2_000, waits: 0, waitedMs: 0 }
  assert.deepEqual(limiter.states(), [first])
  await after(2_000)
  assert.deepEqual(limiter.states(), [{ ...first, waiting: 0, waits: 1, waitedMs: 2_000 }])
})
