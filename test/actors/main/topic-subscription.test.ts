import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicSubscription } from '../../../actors/main/topic/subscription.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const MINUTE_MS = 60_000

/** A subscription whose calls the test answers. */
function setup() {
  const clock = new ManualClock()
  const said: string[] = []
  const calls: PromiseWithResolvers<boolean>[] = []
  const subscription = new TopicSubscription({
    clock,
    random: () => 1,
    subscribe() {
      const call = Promise.withResolvers<boolean>()
      calls.push(call)
      return call.promise
    },
    describeError: String,
    report: {
      subscribed: () => said.push('subscribed'),
      pending: () => said.push('pending'),
      unconfirmed: () => said.push('unconfirmed'),
      failed: (error, retryInMs) => said.push(`${error} ${retryInMs}`),
    },
  })
  /** Answers the last call, and waits until the subscription has handled it. */
  const answer = async (result: boolean | string) => {
    if (typeof result === 'string') calls.at(-1)?.reject(result)
    else calls.at(-1)?.resolve(result)
    await new Promise(setImmediate)
  }
  return { clock, said, calls, subscription, answer }
}

test('a refused subscription is tried again, after growing delays and without end', async () => {
  const { clock, said, calls, subscription, answer } = setup()
  subscription.start()
  for (let n = 1; n <= 12; n++) {
    assert.equal(calls.length, n)
    await answer('no')
    clock.advance(5 * MINUTE_MS)
  }
  assert.deepEqual(said.slice(0, 4), ['no 1000', 'no 2000', 'no 4000', 'no 8000'])
  assert.equal(said.at(-1), `no ${5 * MINUTE_MS}`)
  assert.deepEqual(subscription.status, { state: 'asking', failures: 12, last_error: 'no' })
  await answer(true)
  assert.deepEqual(subscription.status, { state: 'subscribed', failures: 0, last_error: null })
  assert.deepEqual(clock.dueInMs, [])
})

test('a topic that asks for no confirmation is subscribed anew', async () => {
  const { clock, said, calls, subscription, answer } = setup()
  subscription.start()
  await answer(false)
  assert.equal(subscription.status.state, 'pending')
  clock.advance(60 * MINUTE_MS)
  assert.equal(calls.length, 2)
  assert.deepEqual(said, ['pending', 'unconfirmed'])
})

test('a signed message proves the subscription in any state', async () => {
  const { clock, said, calls, subscription, answer } = setup()
  subscription.start()
  subscription.messageReceived()
  subscription.messageReceived()
  await answer('late')
  clock.advance(60 * MINUTE_MS)
  assert.deepEqual([said, calls.length, subscription.status.state], [['subscribed'], 1, 'subscribed'])
})

test('stopped, it makes no call and reports nothing', async () => {
  const { clock, said, calls, subscription, answer } = setup()
  subscription.start()
  await answer('no')
  subscription.stop()
  subscription.messageReceived()
  clock.advance(60 * MINUTE_MS)
  assert.deepEqual([said, calls.length, subscription.status.state], [['no 1000'], 1, 'stopped'])
})
