import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Dispatch } from '../../../src/domain/commit.ts'
import { Bench } from '../support.ts'

const CHANNELS = ['chatws', 'messenger', 'email'] as const

function threading(t: TestContext) {
  const bench = new Bench(t, { channels: CHANNELS, threadedChannels: ['chatws', 'email'], oncall: POLICY })
  const id = bench.spill({ title: 'Checkout is slow' })
  for (const channel of CHANNELS)
    for (const dispatch of bench.claim(channel))
      bench.settle(dispatch, { state: 'sent' }, { messageId: `${channel}-1` })
  return { bench, id }
}
const POLICY = { enable: true, waitMs: 60_000, provider: 'webhook' }

const followUps = ({ store }: Bench, free: (channel: string) => boolean = () => true): Dispatch[] =>
  store.write(() => [...store.outbox.claimNotices(free).dispatches])
const acknowledge = ({ store }: Bench, id: string) => store.write(() => store.operator.acknowledge(id, 'Ada'))

test('an acknowledgement is shown in the thread of each message that can have one', (t) => {
  const { bench, id } = threading(t)
  acknowledge(bench, id)
  const dispatches = followUps(bench)
  assert.deepEqual(
    dispatches.map(({ channel, inReplyTo, title, status }) => [channel, inReplyTo, title, status]),
    [
      ['chatws', 'chatws-1', '✅ Acknowledged by Ada: Checkout is slow', 'firing'],
      ['email', 'email-1', '✅ Acknowledged by Ada: Checkout is slow', 'firing'],
    ],
  )
  for (const dispatch of dispatches) bench.settle(dispatch, { state: 'sent' })
  const { oncall, deliveries, notify_status } = bench.detail(id)
  assert.deepEqual(
    oncall?.attempts.map(({ detail }) => detail),
    ['told the chatws thread: the provider said sent', 'told the email thread: the provider said sent'],
  )
  assert.deepEqual([deliveries[0]?.attempts.length, notify_status], [1, 'sent'])
  assert.deepEqual(followUps(bench), [])
})

test('a resolution by an operator is shown too; a second one is not', (t) => {
  const { bench, id } = threading(t)
  for (let turn = 0; turn < 2; turn++) bench.store.write(() => bench.store.operator.resolve(id, 'Bob'))
  assert.deepEqual(
    followUps(bench).map(({ title, status }) => [title, status]),
    [
      ['🟢 Resolved by Bob: Checkout is slow', 'resolved'],
      ['🟢 Resolved by Bob: Checkout is slow', 'resolved'],
    ],
  )
})

test('a message that has not been sent has no thread', (t) => {
  const bench = new Bench(t, { threadedChannels: ['chatws', 'email'] })
  acknowledge(bench, bench.spill())
  assert.deepEqual(followUps(bench), [])
})

test('a follow-up that finds no slot, or fails, waits and goes again, also after a restart', (t) => {
  const { bench, id } = threading(t)
  acknowledge(bench, id)
  assert.deepEqual(
    followUps(bench, (channel) => channel === 'email').map(({ channel }) => channel),
    ['email'],
  )
  bench.reopen()
  const [chat, mail] = followUps(bench)
  assert.deepEqual([chat?.mayDuplicate, mail?.mayDuplicate], [false, true])
  bench.settle(chat as Dispatch, { state: 'pending', at: bench.now + 500 })
  bench.settle(mail as Dispatch, { state: 'dead', reason: 'no' })
  assert.equal(bench.store.outbox.nextNoticeAt(), bench.now + 500)
  bench.now += 499
  assert.deepEqual(followUps(bench), [])
  bench.now += 1
  assert.equal(bench.store.outbox.nextNoticeAt(), bench.now)
  assert.deepEqual(
    followUps(bench).map(({ channel, attempt }) => [channel, attempt]),
    [['chatws', 2]],
  )
})

test('follow-ups that a dead sender held go again', (t) => {
  const { bench, id } = threading(t)
  acknowledge(bench, id)
  assert.equal(followUps(bench).length, 2)
  bench.store.write(() => bench.store.outbox.reclaim(['email']))
  assert.deepEqual(
    followUps(bench).map(({ channel, mayDuplicate }) => [channel, mayDuplicate]),
    [['email', true]],
  )
})

test('a follow-up that is not sent within an hour is dropped', (t) => {
  const { bench, id } = threading(t)
  acknowledge(bench, id)
  bench.now += 3_600_001
  assert.deepEqual(followUps(bench), [])
  assert.equal(bench.store.outbox.nextNoticeAt(), undefined)
})
