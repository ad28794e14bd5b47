import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../../support.ts'
import { fire, given, HOUR, MINUTE, REMIND, repeat, resolve, send, stateOf, statesOf } from './rig.ts'

test('repeats edit the message of their problem, at most once a minute, with their number', (t) => {
  const rig = given(t)
  const first = fire(rig)
  const [message] = send(rig)
  const id = rig.detail(first).deliveries[0]?.message_id
  const repeats = repeat(rig, 5)
  assert.deepEqual(statesOf(rig, repeats), Array(5).fill('folded'))
  assert.deepEqual(send(rig), [], 'the minute is not over')
  rig.now += MINUTE
  const [edit, ...others] = send(rig)
  assert.equal(others.length, 0)
  assert.equal(edit?.edits, id)
  assert.equal(edit?.id, message?.id, 'it is the message of the first incident')
  assert.deepEqual(edit?.repeats, { count: 6, since: START, until: START + 5_000, over: false })
  assert.deepEqual(statesOf(rig, repeats), Array(5).fill('sent'))
  const [delivery] = rig.detail(repeats[4] ?? '').deliveries
  assert.equal(delivery?.via?.place, 5)
  assert.equal(delivery?.via?.update, 1)
  assert.equal(rig.detail(repeats[4] ?? '').notify_status, 'sent')
  const more = repeat(rig, 3)
  assert.deepEqual(send(rig), [])
  rig.now += MINUTE
  assert.equal(send(rig)[0]?.repeats?.count, 9)
  assert.deepEqual(statesOf(rig, more), Array(3).fill('sent'))
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('a louder severity, a new member of the group, and an unknown one are messages', (t) => {
  const rig = given(t)
  const group = { sender: 'grouped_alerts', members: ['a', 'b'] } as const
  fire(rig, group)
  send(rig)
  assert.equal(stateOf(rig, fire(rig, group)), 'folded')
  assert.equal(stateOf(rig, fire(rig, { ...group, members: ['a'] })), 'folded')
  const news = [
    fire(rig, { ...group, members: ['a', 'c'] }),
    fire(rig, { ...group, members: ['a', 'c'], severity: 'critical' }),
    fire(rig, { sender: 'grouped_alerts', severity: 'critical' }),
  ]
  assert.deepEqual(statesOf(rig, news), ['pending', 'pending', 'pending'])
  send(rig)
  assert.equal(stateOf(rig, fire(rig, { ...group, severity: 'critical' })), 'pending', 'the members before are unknown')
})

test('where messages cannot be edited, one message tells of the repeats of four hours', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  send(rig, 'email')
  const repeats = repeat(rig, 7, 30 * MINUTE)
  assert.deepEqual(send(rig, 'email'), [])
  rig.now = START + REMIND
  const [reminder, ...others] = send(rig, 'email')
  assert.equal(others.length, 0)
  assert.equal(reminder?.edits, undefined)
  assert.equal(reminder?.repeats?.count, 8)
  assert.equal(reminder?.id, repeats.at(-1), 'it has the words of the latest incident')
  assert.deepEqual(statesOf(rig, repeats), Array(7).fill('sent'))
  repeat(rig, 1)
  rig.now += REMIND - 2_000
  assert.deepEqual(send(rig, 'email'), [])
  rig.now += 2_000
  assert.equal(send(rig, 'email')[0]?.repeats?.count, 9)
})

test('the end of a problem answers its message with duration and number, and tells of its repeats', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  send(rig, 'email')
  const repeats = repeat(rig, 13, 2 * MINUTE)
  rig.now += 2 * MINUTE
  const end = resolve(rig)
  assert.deepEqual(statesOf(rig, repeats), Array(13).fill('folded'))
  const [answer, ...others] = send(rig, 'email')
  assert.equal(others.length, 0)
  assert.equal(answer?.id, end)
  assert.deepEqual(answer?.repeats, { count: 14, since: START, until: START + 28 * MINUTE, over: true })
  assert.deepEqual(statesOf(rig, repeats), Array(13).fill('sent'))
  rig.now += 2 * REMIND
  assert.deepEqual(send(rig, 'email'), [])
  fire(rig)
  assert.equal(send(rig, 'email').length, 1, 'it fires again: that is news')
})

test('an end that cannot be sent leaves its repeats to a message of their own', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  send(rig, 'email')
  const repeats = repeat(rig, 2)
  resolve(rig)
  for (const one of rig.claim('email')) rig.settle(one, { state: 'dead', reason: 'no such address' })
  assert.deepEqual(statesOf(rig, repeats), ['folded', 'folded'])
  rig.now += REMIND + MINUTE
  rig.turn({})
  const sent = [...send(rig, 'email'), ...send(rig, 'email')].filter(({ kind }) => kind === 'digest')
  assert.equal(sent.length, 1)
  assert.deepEqual(statesOf(rig, repeats), ['sent', 'sent'])
})

test('repeats of a message that died are told at once', (t) => {
  const rig = given(t, { channels: ['email'] })
  fire(rig)
  const [first] = rig.claim('email')
  const repeats = repeat(rig, 2)
  assert.deepEqual(statesOf(rig, repeats), ['folded', 'folded'], 'the message is on its way')
  assert(first)
  rig.settle(first, { state: 'dead', reason: 'refused' })
  rig.now += 2_000
  const told = send(rig, 'email').filter(({ kind }) => kind === 'digest')
  assert.equal(told[0]?.repeats?.count, 3)
  assert.deepEqual(statesOf(rig, repeats), ['sent', 'sent'])
})

test('a message that is gone is not posted again before the reminder', (t) => {
  const rig = given(t)
  fire(rig)
  send(rig)
  const repeats = repeat(rig, 2)
  rig.now += MINUTE
  const [edit] = rig.claim('chatws')
  assert(edit?.edits)
  rig.settle(edit, { state: 'pending', at: rig.now }, { outcome: 'gone' })
  rig.now += HOUR
  assert.deepEqual(send(rig), [])
  rig.now = START + REMIND
  const [reminder] = rig.claim('chatws')
  assert(reminder && reminder.edits === undefined)
  rig.settle(reminder, { state: 'sent' }, { messageId: 'the reminder' })
  rig.turn({})
  assert.deepEqual(statesOf(rig, repeats), ['sent', 'sent'])
  repeat(rig, 1)
  rig.now += HOUR
  assert.equal(send(rig)[0]?.edits, 'the reminder', 'the reminder is the message to edit')
})

test('a dead revision is a dead letter of its repeats, and the next one is a message', (t) => {
  const rig = given(t)
  fire(rig)
  send(rig)
  const repeats = repeat(rig, 2)
  rig.now += MINUTE
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'dead', reason: 'channel_not_found' })
  rig.turn({})
  assert.deepEqual(statesOf(rig, repeats), ['dead', 'dead'])
  assert.equal(rig.detail(repeats[0] ?? '').deliveries[0]?.dead_reason, 'channel_not_found')
  assert.equal(stateOf(rig, fire(rig)), 'pending')
  assert.equal(rig.store.operator.replay({ state: 'dead' }), 2)
})
