import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDestinationThrottle } from '../../../src/channels/destination/throttle.ts'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const BROKEN: Outcome = { kind: 'retry', reason: 'HTTP 500' }
const PACED: Outcome = { kind: 'retry', reason: 'HTTP 429', afterMs: 60_000 }

function setup() {
  const clock = new ManualClock()
  const rules = { rate: { perSecond: 1, burst: 2 }, circuit: { failures: 3, openForMs: 30_000 } }
  const throttle = createDestinationThrottle(rules, clock)
  const send = async (destination: string, outcome: Outcome) => {
    throttle.enter(destination)
    await throttle.acquire(destination)
    throttle.tryStart(destination)
    throttle.record(destination, outcome)
    throttle.leave(destination)
  }
  const sendToMany = async (name: string) => {
    for (let n = 0; n < 3_000; n++) {
      await send(`${name}-${n}`, { kind: 'sent' })
      if (n % 500 === 499) clock.advance(1_000)
    }
  }
  const kept = () => throttle.states().map(({ destination }) => destination)
  return { clock, throttle, send, sendToMany, kept }
}

test('idle destinations are forgotten when they are many', async () => {
  const { sendToMany, kept } = setup()
  await sendToMany('chat')
  assert.ok(kept().length <= 2_000, `${kept().length} are kept`)
})

test('an open circuit, failures in a row and a delay that the provider named outlast many other destinations', async () => {
  const { clock, throttle, send, sendToMany } = setup()
  for (const _ of [1, 2]) await send('failing', BROKEN)
  clock.advance(2_000)
  for (const _ of [1, 2]) await send('broken', BROKEN)
  clock.advance(2_000)
  await send('broken', BROKEN)
  await send('paced', PACED)
  await sendToMany('chat')
  assert.ok(throttle.isOpen('broken'))
  assert.equal(throttle.deferMs('paced', 1), 54_000)
  await send('failing', BROKEN)
  assert.ok(throttle.isOpen('failing'))
})

test('a message that waits through many other destinations goes back when its circuit opens', async () => {
  const { throttle, sendToMany } = setup()
  throttle.record('slow', { ...PACED, afterMs: 9_000 })
  const ended = assert.rejects(throttle.acquire('slow'))
  await sendToMany('chat')
  for (let n = 0; n < 3; n++) throttle.record('slow', BROKEN)
  await ended
})
