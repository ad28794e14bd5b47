import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PendingAsks } from '../../src/kernel/ask.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const hang = () => new Promise<never>(() => {})

test('an answer resolves and leaves no timer', async () => {
  const clock = new ManualClock()
  const pendingAsks = new PendingAsks('store', clock)
  assert.equal(await pendingAsks.ask('size', 100, async () => 7), 7)
  assert.deepEqual(clock.dueInMs, [])
})

test('an ask rejects with ask_timeout at its deadline and names peer and question', async () => {
  const clock = new ManualClock()
  const pendingAsks = new PendingAsks('store', clock)
  const asked = pendingAsks.ask('size', 100, hang)
  clock.advance(100)
  await assert.rejects(asked, { code: 'ask_timeout', message: 'store did not answer size within 100 ms' })
  assert.deepEqual(clock.dueInMs, [])
})

test('all asks under way reject with peer_down when the peer goes down', async () => {
  const clock = new ManualClock()
  const pendingAsks = new PendingAsks('store', clock)
  const asked = [pendingAsks.ask('one', 100, hang), pendingAsks.ask('two', 100, hang)]
  pendingAsks.peerGone()
  for (const each of asked) await assert.rejects(each, { code: 'peer_down' })
  assert.deepEqual(clock.dueInMs, [])
})

test('a call that rejects or throws ends the ask at once', async () => {
  const clock = new ManualClock()
  const pendingAsks = new PendingAsks('store', clock)
  const thrown = new RangeError('cannot be asked')
  await assert.rejects(
    pendingAsks.ask('later', 100, () => Promise.reject(thrown)),
    thrown,
  )
  await assert.rejects(
    pendingAsks.ask('at once', 100, () => {
      throw thrown
    }),
    thrown,
  )
  assert.deepEqual(clock.dueInMs, [])
})

test('an answer or a failure after the end changes nothing', async () => {
  const clock = new ManualClock()
  const pendingAsks = new PendingAsks('store', clock)
  let fail = (_: Error) => {}
  const asked = pendingAsks.ask('slow', 10, () => new Promise((_, reject) => (fail = reject)))
  clock.advance(10)
  fail(new Error('too late'))
  await assert.rejects(asked, { code: 'ask_timeout' })
})
