import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Events, TAIL_WINDOW } from '../../../actors/messages/tail.ts'
import { ThreadEventPublisher } from '../../../actors/wiring/event-publisher.ts'
import type { AgentEvent } from '../../../src/domain/event.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'

test('a publisher has subscribers while there are filters', () => {
  const { publisher } = setup()
  publisher.setFilters([])
  assert.equal(publisher.hasSubscribers, false)
  publisher.setFilters([{}])
  assert.equal(publisher.hasSubscribers, true)
  publisher.setFilters([])
  assert.equal(publisher.hasSubscribers, false)
})

test('the events of one turn leave as one message', () => {
  const { publisher, passAll, received } = setup()
  publisher.setFilters([{}])
  for (const detail of ['a', 'b', 'c']) publisher.publish(event(detail))
  passAll()
  assert.deepEqual(received(), [{ details: ['a', 'b', 'c'], lost: 0 }])
})

test('events from before the first filters leave with them, as far as they match', () => {
  const { publisher, passAll, received } = setup()
  assert.equal(publisher.hasSubscribers, true)
  for (let n = 0; n < 300; n++) publisher.publish(event(n % 2 === 0 ? 'The Ledger' : 'other'))
  passAll()
  assert.deepEqual(received(), [])
  publisher.setFilters([{ q: 'ledger' }])
  passAll()
  assert.deepEqual(received(), [{ details: Array(128).fill('The Ledger'), lost: 44 }])
})

test('events from before the first filters are dropped when there are none', () => {
  const { publisher, passAll, received } = setup()
  for (let n = 0; n < 300; n++) publisher.publish(event(String(n)))
  publisher.setFilters([])
  publisher.setFilters([{}])
  publisher.publish(event('now'))
  passAll()
  assert.deepEqual(received(), [{ details: ['now'], lost: 0 }])
})

test('only events that match a filter leave', () => {
  const { publisher, passAll, received } = setup()
  publisher.setFilters([{ kinds: ['delivery'] }, { q: 'ledger' }])
  for (const detail of ['other', 'The Ledger', 'another']) publisher.publish(event(detail))
  passAll()
  assert.deepEqual(received(), [{ details: ['The Ledger'], lost: 0 }])
})

test('a long detail of an event is cut', () => {
  const { publisher, passAll, received } = setup()
  publisher.setFilters([{}])
  publisher.publish(event('x'.repeat(100_000)))
  passAll()
  assert.ok((received()[0]?.details[0]?.length ?? 0) < 2_000)
})

test('events without a place are kept up to a bound, and counted beyond it', () => {
  const { publisher, passAll, received, settle } = setup()
  publisher.setFilters([{}])
  for (let n = 0; n < TAIL_WINDOW + 1_000; n++) {
    publisher.publish(event(String(n)))
    passAll()
  }
  assert.equal(received().length, TAIL_WINDOW)
  settle()
  passAll()
  const [last] = received().slice(TAIL_WINDOW)
  assert.equal(last?.details[0], String(TAIL_WINDOW))
  assert.equal((last?.details.length ?? 0) + (last?.lost ?? 0), 1_000)
  assert.ok((last?.lost ?? 0) > 500)
})

const event = (detail: string): AgentEvent => ({
  kind: 'agent',
  at: '2030-01-01T00:00:00.000Z',
  action: 'mode',
  detail,
  pattern_id: null,
  incident_id: null,
})

/** A publisher whose tail hub frees its slots when the test says so. */
function setup() {
  const { scheduler, passAll } = manualScheduler()
  const mailbox = new Mailbox<Events>({ capacity: TAIL_WINDOW })
  const publisher = new ThreadEventPublisher(nearRef('tail', mailbox, TAIL_WINDOW), scheduler)
  const got: Events[] = []
  let slots: { free(): void }[] = []
  const take = () => {
    const taken = mailbox.take(64)
    got.push(...taken.messages)
    slots.push(...taken.slots)
  }
  return {
    publisher,
    passAll,
    received() {
      take()
      return got.map(({ events, lost }) => ({ lost, details: events.map((each) => (each as AgentEvent).detail) }))
    },
    settle() {
      take()
      for (const slot of slots) slot.free()
      slots = []
    },
  }
}
