import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTokenBuckets, type Place } from '../../../src/channels/destination/token-buckets.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { forever } from '../setup.ts'

function setup(perSecond: number, burst: number) {
  const clock = new ManualClock()
  const buckets = createTokenBuckets({ perSecond, burst }, clock)
  const waits: number[] = []
  const take = (destination = 'main') =>
    void buckets.acquire(destination, forever).then((waitedMs) => waits.push(waitedMs))
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  /** Lets time pass and returns the waits that ended. */
  async function after(ms: number): Promise<number[]> {
    clock.advance(ms)
    await nextTurn()
    return waits.splice(0)
  }
  return { clock, buckets, take, after }
}

test('a burst goes at once, then one message at a time, in the order of the calls', async () => {
  const { take, after } = setup(2, 3)
  for (let n = 0; n < 5; n++) take()
  assert.deepEqual(await after(0), [0, 0, 0])
  assert.deepEqual(await after(499), [])
  assert.deepEqual(await after(1), [500])
  assert.deepEqual(await after(500), [1_000])
})

test('an idle destination saves up no more than its burst', async () => {
  const { take, after } = setup(1, 2)
  await after(60_000)
  for (let n = 0; n < 4; n++) take()
  assert.deepEqual(await after(0), [0, 0])
})

test('destinations do not wait for each other', async () => {
  const { take, after } = setup(1, 1)
  take('a')
  take('a')
  take('b')
  assert.deepEqual(await after(0), [0, 0])
})

test('a pause holds a destination back, waiting or not, and ends with one message', async () => {
  const { buckets, take, after } = setup(1, 10)
  buckets.pause('main', 5_000)
  for (let n = 0; n < 3; n++) take()
  assert.deepEqual(await after(4_999), [])
  assert.deepEqual(await after(1), [5_000])
  assert.deepEqual(await after(1_000), [6_000])
  buckets.pause('main', 3_000)
  assert.deepEqual(await after(2_999), [])
  assert.deepEqual(await after(1), [9_000])
})

test('a shorter pause does not end a longer one', async () => {
  const { buckets, take, after } = setup(1, 1)
  buckets.pause('main', 5_000)
  buckets.pause('main', 1_000)
  take()
  assert.deepEqual(await after(4_999), [])
  assert.deepEqual(await after(1), [5_000])
})

test('a wait that is aborted lets the next one go', async () => {
  const { buckets, take, after } = setup(1, 1)
  take()
  const stop = new AbortController()
  const aborted = assert.rejects(buckets.acquire('main', stop.signal), /enough/)
  take()
  stop.abort(new Error('enough'))
  await aborted
  await assert.rejects(buckets.acquire('main', stop.signal), /enough/)
  assert.deepEqual(await after(1_000), [0, 1_000])
})

test('states count messages that wait, and the sum of past waits', async () => {
  const { buckets, take, after } = setup(0.5, 1)
  take()
  take()
  const first = { destination: 'main', waiting: 1, readyInMs: 2_000, waits: 0, waitedMs: 0 }
  assert.deepEqual(buckets.states(), [first])
  await after(2_000)
  assert.deepEqual(buckets.states(), [{ ...first, waiting: 0, waits: 1, waitedMs: 2_000 }])
})

test('the digest goes first, then urgent messages; after three in a row another goes', async () => {
  const { after, order, place } = ranked(1, 1)
  for (const name of ['0', '1', '2']) place(`normal ${name}`, { rank: 2 })
  for (let n = 0; n < 5; n++) place(`urgent ${n}`, { rank: 0 })
  place('low', { rank: 3 })
  place('digest', { rank: 1 })
  for (let n = 0; n < 10; n++) await after(1_000)
  assert.deepEqual(
    order.join(', '),
    [
      'normal 0',
      'digest',
      'urgent 0',
      'urgent 1',
      'normal 1',
      'urgent 2',
      'urgent 3',
      'urgent 4',
      'normal 2',
      'low',
    ].join(', '),
  )
})

test('in a storm tokens are kept for digests and urgent messages', async () => {
  const { after, order, place } = ranked(1, 4)
  for (let n = 0; n < 4; n++) place(`normal ${n}`, { rank: 2, storm: true })
  await after(0)
  assert.deepEqual(order.splice(0), ['normal 0', 'normal 1'])
  place('urgent', { rank: 0, storm: true })
  place('digest', { rank: 1, storm: true })
  await after(0)
  assert.deepEqual(order.splice(0), ['urgent', 'digest'])
  await after(2_999)
  assert.deepEqual(order, [])
  await after(1)
  assert.deepEqual(order, ['normal 2'])
})

function ranked(perSecond: number, burst: number) {
  const { buckets, after } = setup(perSecond, burst)
  const order: string[] = []
  const place = (name: string, at: Place) => void buckets.acquire('main', forever, at).then(() => order.push(name))
  return { after, order, place }
}
