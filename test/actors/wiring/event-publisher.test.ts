import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Events, FEED_WINDOW } from '../../../actors/messages/tail.ts'
import { ThreadFeed } from '../../../actors/wiring/event-publisher.ts'
import type { AgentEvent } from '../../../src/domain/event.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { turnsByHand } from '../../kernel/support/by-hand.ts'

test('a feed is open while somebody watches', () => {
  const { feed } = given()
  feed.listen([])
  assert.equal(feed.open, false)
  feed.listen([{}])
  assert.equal(feed.open, true)
  feed.listen([])
  assert.equal(feed.open, false)
})

test('what happens in one turn leaves as one message', () => {
  const { feed, passAll, received } = given()
  feed.listen([{}])
  for (const detail of ['a', 'b', 'c']) feed.publish(event(detail))
  passAll()
  assert.deepEqual(received(), [{ details: ['a', 'b', 'c'], lost: 0 }])
})

test('what happened before a feed was told who watches leaves when it is told', () => {
  const { feed, passAll, received } = given()
  assert.equal(feed.open, true)
  for (let n = 0; n < 300; n++) feed.publish(event(n % 2 === 0 ? 'The Ledger' : 'other'))
  passAll()
  assert.deepEqual(received(), [])
  feed.listen([{ q: 'ledger' }])
  passAll()
  assert.deepEqual(received(), [{ details: Array(128).fill('The Ledger'), lost: 44 }])
})

test('what happened before a feed was told that nobody watches is forgotten', () => {
  const { feed, passAll, received } = given()
  for (let n = 0; n < 300; n++) feed.publish(event(String(n)))
  feed.listen([])
  feed.listen([{}])
  feed.publish(event('now'))
  passAll()
  assert.deepEqual(received(), [{ details: ['now'], lost: 0 }])
})

test('only what somebody wants to see leaves', () => {
  const { feed, passAll, received } = given()
  feed.listen([{ kinds: ['delivery'] }, { q: 'ledger' }])
  for (const detail of ['other', 'The Ledger', 'another']) feed.publish(event(detail))
  passAll()
  assert.deepEqual(received(), [{ details: ['The Ledger'], lost: 0 }])
})

test('an event is a line, whatever a provider answered', () => {
  const { feed, passAll, received } = given()
  feed.listen([{}])
  feed.publish(event('x'.repeat(100_000)))
  passAll()
  assert.ok((received()[0]?.details[0]?.length ?? 0) < 2_000)
})

test('what finds no place is kept up to a bound, and counted beyond it', () => {
  const { feed, passAll, received, settle } = given()
  feed.listen([{}])
  for (let n = 0; n < FEED_WINDOW + 1_000; n++) {
    feed.publish(event(String(n)))
    passAll()
  }
  assert.equal(received().length, FEED_WINDOW)
  settle()
  passAll()
  const [last] = received().slice(FEED_WINDOW)
  assert.equal(last?.details[0], String(FEED_WINDOW))
  assert.equal((last?.details.length ?? 0) + (last?.lost ?? 0), 1_000)
  assert.ok((last?.lost ?? 0) > 500)
})

const event = (detail: string): AgentEvent => ({
  kind: 'agent',
  ...{ at: '2030-01-01T00:00:00.000Z', action: 'mode', detail, pattern_id: null, incident_id: null },
})

/** A feed whose tail settles when told to. */
function given() {
  const { turns, passAll } = turnsByHand()
  const mailbox = new Mailbox<Events>({ capacity: FEED_WINDOW, whenFull: 'lag' })
  const feed = new ThreadFeed(nearRef('tail', mailbox, FEED_WINDOW), turns)
  const got: Events[] = []
  let places: { settle(): void }[] = []
  const take = () => {
    const taken = mailbox.take(64)
    got.push(...taken.messages)
    places.push(...taken.places)
  }
  return {
    ...{ feed, passAll },
    received() {
      take()
      return got.map(({ events, lost }) => ({ lost, details: events.map((each) => (each as AgentEvent).detail) }))
    },
    settle() {
      take()
      for (const place of places) place.settle()
      places = []
    },
  }
}
