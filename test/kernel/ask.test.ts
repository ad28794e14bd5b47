import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Asks } from '../../src/kernel/ask.ts'
import { ManualClock } from '../../src/kernel/clock.ts'

const hang = () => new Promise<never>(() => {})

test('an answer resolves and leaves no timer', async () => {
  const clock = new ManualClock()
  const asks = new Asks('store', clock)
  assert.equal(await asks.ask('size', 100, async () => 7), 7)
  assert.equal(asks.pending, 0)
  assert.deepEqual(clock.dueInMs, [])
})

test('a question rejects with ask_timeout at its deadline, naming peer and question', async () => {
  const clock = new ManualClock()
  const asks = new Asks('store', clock)
  const asked = asks.ask('size', 100, hang)
  clock.advance(100)
  await assert.rejects(asked, { code: 'ask_timeout', message: 'store did not answer size within 100 ms' })
  assert.equal(asks.pending, 0)
})

test('everything under way rejects with peer_down when the peer is gone', async () => {
  const clock = new ManualClock()
  const asks = new Asks('store', clock)
  const asked = [asks.ask('one', 100, hang), asks.ask('two', 100, hang)]
  asks.peerGone()
  for (const each of asked) await assert.rejects(each, { code: 'peer_down' })
  assert.deepEqual(clock.dueInMs, [])
})

test('a call that rejects or throws ends the question at once', async () => {
  const clock = new ManualClock()
  const asks = new Asks('store', clock)
  const thrown = new RangeError('cannot be asked')
  await assert.rejects(
    asks.ask('later', 100, () => Promise.reject(thrown)),
    thrown,
  )
  await assert.rejects(
    asks.ask('at once', 100, () => {
      throw thrown
    }),
    thrown,
  )
  assert.equal(asks.pending, 0)
  assert.deepEqual(clock.dueInMs, [])
})

test('an answer or a failure that comes too late changes nothing', async () => {
  const clock = new ManualClock()
  const asks = new Asks('store', clock)
  let fail = (_: Error) => {}
  const asked = asks.ask('slow', 10, () => new Promise((_, reject) => (fail = reject)))
  clock.advance(10)
  fail(new Error('too late'))
  await assert.rejects(asked, { code: 'ask_timeout' })
})
