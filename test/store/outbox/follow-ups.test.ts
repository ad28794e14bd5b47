import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Dispatch, MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { StoreRig } from '../support.ts'

const CHANNELS = ['chatws', 'messenger', 'email'] as const

function threading(t: TestContext) {
  const rig = new StoreRig(t, { channels: CHANNELS, threadedChannels: ['chatws', 'email'], oncall: POLICY })
  const id = rig.spill({ title: 'Checkout is slow' })
  for (const channel of CHANNELS)
    for (const dispatch of rig.claim(channel)) rig.settle(dispatch, { state: 'sent' }, { messageId: `${channel}-1` })
  return { rig, id }
}
const POLICY = { enable: true, waitMs: 60_000, provider: 'webhook' }

const followUps = (rig: StoreRig, channels: readonly ChannelName[] = CHANNELS): MessageDispatch[] =>
  rig.claimAll(channels).dispatches.flatMap((dispatch) => (dispatch.kind === 'follow-up' ? [dispatch] : []))
const acknowledge = ({ store }: StoreRig, id: string) => store.operator.acknowledge(id, 'Ada')

test('an acknowledgement is shown in the thread of each message that can have one', (t) => {
  const { rig, id } = threading(t)
  acknowledge(rig, id)
  const dispatches = followUps(rig)
  assert.deepEqual(
    dispatches.map(({ destination, inReplyTo, title, status }) => [destination, inReplyTo, title, status]),
    [
      ['chatws', 'chatws-1', '✅ Acknowledged by Ada: Checkout is slow', 'firing'],
      ['email', 'email-1', '✅ Acknowledged by Ada: Checkout is slow', 'firing'],
    ],
  )
  for (const dispatch of dispatches) rig.settle(dispatch, { state: 'sent' })
  const { oncall, deliveries, notify_status } = rig.detail(id)
  assert.deepEqual(
    oncall?.attempts.map(({ detail }) => detail),
    ['wrote to the chatws thread: the provider said sent', 'wrote to the email thread: the provider said sent'],
  )
  assert.deepEqual([deliveries[0]?.attempts.length, notify_status], [1, 'sent'])
  assert.deepEqual(followUps(rig), [])
})

test('a resolution by an operator is shown too; a second one is not', (t) => {
  const { rig, id } = threading(t)
  for (let turn = 0; turn < 2; turn++) rig.store.operator.resolve(id, 'Bob')
  assert.deepEqual(
    followUps(rig).map(({ title, status }) => [title, status]),
    [
      ['🟢 Resolved by Bob: Checkout is slow', 'resolved'],
      ['🟢 Resolved by Bob: Checkout is slow', 'resolved'],
    ],
  )
})

test('no two follow-ups of an incident have one id, also when the first is settled before the second is raised', (t) => {
  const { rig, id } = threading(t)
  acknowledge(rig, id)
  const first = followUps(rig, ['email'])
  for (const dispatch of first) rig.settle(dispatch, { state: 'sent' })
  rig.store.operator.resolve(id, 'Bob')
  const second = followUps(rig, ['email'])
  assert.deepEqual([first.length, second.length], [1, 1])
  assert.notEqual(first[0]?.id, second[0]?.id)
})

test('a message that has not been sent has no thread', (t) => {
  const rig = new StoreRig(t, { threadedChannels: ['chatws', 'email'] })
  acknowledge(rig, rig.spill())
  assert.deepEqual(followUps(rig), [])
})

test('a follow-up that finds no slot, or fails, waits and goes again, also after a restart', (t) => {
  const { rig, id } = threading(t)
  acknowledge(rig, id)
  assert.deepEqual(
    followUps(rig, ['email']).map(({ destination }) => destination),
    ['email'],
  )
  rig.reopen()
  const [chat, mail] = followUps(rig)
  assert.deepEqual([chat?.mayDuplicate, mail?.mayDuplicate], [false, true])
  rig.settle(chat as Dispatch, { state: 'pending', at: rig.now + 500 })
  rig.settle(mail as Dispatch, { state: 'dead', reason: 'no' })
  assert.equal(rig.store.outbox.nextDueAt('chatws'), rig.now + 500)
  rig.now += 499
  assert.deepEqual(followUps(rig), [])
  rig.now += 1
  assert.equal(rig.store.outbox.nextDueAt('chatws'), rig.now)
  assert.deepEqual(
    followUps(rig).map(({ destination, attempt }) => [destination, attempt]),
    [['chatws', 2]],
  )
})

test('follow-ups that a dead sender held go again', (t) => {
  const { rig, id } = threading(t)
  acknowledge(rig, id)
  assert.equal(followUps(rig).length, 2)
  rig.turn({ sendersLost: true })
  assert.deepEqual(
    followUps(rig).map(({ destination, mayDuplicate }) => [destination, mayDuplicate]),
    [
      ['chatws', true],
      ['email', true],
    ],
  )
})

test('a follow-up that is not sent within an hour is dropped', (t) => {
  const { rig, id } = threading(t)
  acknowledge(rig, id)
  rig.now += 3_600_001
  assert.deepEqual(followUps(rig), [])
  for (const channel of CHANNELS) assert.equal(rig.store.outbox.nextDueAt(channel), Infinity)
})
