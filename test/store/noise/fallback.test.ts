import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { FallbackRules } from '../../../src/store/noise/fallbacks.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { StoreRig, settlement } from '../support.ts'

const AFTER_MS = 120_000
const BY_MAIL: FallbackRules = { destinations: { chatws: { channel: 'email' } }, afterMs: AFTER_MS }
const DEAD = { state: 'dead', reason: 'channel_not_found' } as const
const RETRY = { outcome: 'retry', detail: 'no answer' } as const

/** A store whose routes lead to one channel alone; others stand in for it. */
function given(t: TestContext, changes: Partial<StoreOptions> = {}, channel: ChannelName = 'chatws'): StoreRig {
  return new StoreRig(t, {
    channels: ['chatws', 'msgapp', 'email'],
    fallbacks: BY_MAIL,
    decide: ({ severity }) => ({
      destinations: [{ channel }],
      priority: severity === 'critical' ? 'high' : 'normal',
      rules: [],
    }),
    ...changes,
  })
}

const told = (rig: StoreRig, id: string) =>
  rig.detail(id).deliveries.map(({ channel, target, state, reason }) => [channel, target, state, reason])

/** Claims all that is due on the chat, and lets each attempt fail with an open circuit. */
function failAttempts(rig: StoreRig): void {
  for (const dispatch of rig.claim('chatws')) {
    const verdict = { state: 'pending', at: rig.now + 1_000 } as const
    rig.turn({ settlements: [{ ...settlement(dispatch, verdict, RETRY), circuitOpen: true }] })
  }
}

test('a dead delivery is told at the fallback, and both tellings are on the record', (t) => {
  const rig = given(t)
  const id = rig.spill()
  rig.finish('chatws', DEAD)
  assert.deepEqual(told(rig, id), [
    ['chatws', null, 'dead', null],
    ['email', null, 'pending', 'fallback of chatws'],
  ])
  assert.equal(rig.detail(id).notify_status, 'pending')
  rig.finish('email')
  const { notify_status, notify_error, channels_enabled, channels_notified } = rig.detail(id)
  assert.deepEqual([notify_status, notify_error], ['partial', 'chatws: channel_not_found'])
  assert.deepEqual([channels_enabled, channels_notified], [['chatws', 'email'], ['email']])
})

test('a channel that gets the incident anyway is no fallback for it', (t) => {
  const rig = new StoreRig(t, { fallbacks: BY_MAIL })
  const id = rig.spill()
  const { fellBack } = rig.turn({ settlements: rig.claim('chatws').map((one) => settlement(one, DEAD)) })
  assert.deepEqual(fellBack, {})
  assert.deepEqual(told(rig, id), [
    ['chatws', null, 'dead', null],
    ['email', null, 'pending', null],
  ])
})

test('a chain is followed to its end, and a replay does not follow it again', (t) => {
  const destinations = { chatws: { channel: 'msgapp', target: 'ops' }, msgapp: { channel: 'email' } } as const
  const rig = given(t, { fallbacks: { destinations, afterMs: AFTER_MS } })
  const id = rig.spill()
  rig.finish('chatws', DEAD)
  rig.finish('msgapp', DEAD)
  rig.finish('email')
  const chain = [
    ['chatws', null, 'dead', null],
    ['msgapp', 'ops', 'dead', 'fallback of chatws'],
    ['email', null, 'sent', 'fallback of msgapp:ops'],
  ]
  assert.deepEqual(told(rig, id), chain)
  assert.equal(rig.store.operator.replay({ state: 'dead' }), 2)
  rig.finish('chatws', DEAD)
  rig.finish('msgapp', DEAD)
  assert.deepEqual(told(rig, id), chain)
})

test('a destination whose circuit is open for long enough is told of elsewhere, and goes on trying', (t) => {
  const rig = given(t)
  const early = rig.spill()
  failAttempts(rig)
  rig.now += AFTER_MS - 1
  rig.turn({})
  assert.equal(told(rig, early).length, 1)
  rig.now += 1
  assert.ok(rig.store.outbox.nextDueAt('any') <= rig.now)
  assert.deepEqual(rig.turn({}).fellBack, { chatws: 1 })
  const late = rig.spill()
  assert.deepEqual(told(rig, late)[1], ['email', null, 'pending', 'fallback of chatws'])
  assert.equal(rig.store.outbox.nextDueAt('any'), Infinity)
  rig.finish('email')
  rig.finish('chatws')
  assert.deepEqual(told(rig, early), [
    ['chatws', null, 'sent', null],
    ['email', null, 'sent', 'fallback of chatws'],
  ])
  assert.equal(rig.detail(early).notify_status, 'sent')
  assert.equal(told(rig, rig.spill()).length, 1)
})

test('a delivery that is with its sender when the others fail over follows when its attempt fails', (t) => {
  const rig = given(t)
  rig.spill()
  failAttempts(rig)
  const id = rig.spill()
  const [held] = rig.claim('chatws')
  assert.ok(held)
  rig.now += AFTER_MS
  rig.turn({})
  assert.equal(told(rig, id).length, 1)
  rig.settle(held, { state: 'pending', at: rig.now + 1 }, RETRY)
  assert.deepEqual(told(rig, id)[1], ['email', null, 'pending', 'fallback of chatws'])
})

test('an outage is known after a restart, and one that was young begins again', (t) => {
  const rig = given(t)
  rig.spill()
  failAttempts(rig)
  rig.now += AFTER_MS - 1
  rig.reopen()
  rig.now += AFTER_MS - 1
  assert.deepEqual(rig.turn({}).fellBack, {})
  rig.now += 1
  assert.deepEqual(rig.turn({}).fellBack, { chatws: 1 })
  rig.reopen()
  assert.equal(told(rig, rig.spill()).length, 2)
  rig.reopen({ fallbacks: { destinations: {}, afterMs: AFTER_MS } })
  assert.equal(told(rig, rig.spill()).length, 1)
})

test('a wall clock that is set moves the time of an outage', (t) => {
  const rig = given(t)
  rig.spill()
  failAttempts(rig)
  rig.now += 3_600_000
  assert.deepEqual(rig.turn({ clockJumpMs: 3_600_000 }).fellBack, {})
  rig.now += AFTER_MS
  assert.deepEqual(rig.turn({}).fellBack, { chatws: 1 })
})

test('without on_failure nothing is placed and nothing is due', (t) => {
  const rig = given(t, { fallbacks: { destinations: {}, afterMs: AFTER_MS } })
  const id = rig.spill()
  failAttempts(rig)
  rig.now += AFTER_MS
  assert.equal(rig.store.outbox.nextDueAt('any'), Infinity)
  rig.turn({})
  rig.finish('chatws', DEAD)
  assert.equal(told(rig, id).length, 1)
})
