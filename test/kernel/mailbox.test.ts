import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Mailbox, type Slot } from '../../src/kernel/mailbox.ts'
import { nearRef } from '../../src/kernel/ref.ts'
import { uncaughtErrors } from './support/by-hand.ts'

const mailboxOf = (capacity: number) => new Mailbox<number>({ capacity })

test('a mailbox without a slot is refused', () => {
  for (const capacity of [0, -1, 1.5, Number.NaN]) assert.throws(() => mailboxOf(capacity), RangeError)
})

test('a slot is occupied until it is freed, and freeing it twice frees one slot', () => {
  const mailbox = mailboxOf(2)
  let freed = 0
  mailbox.offer(1, () => freed++)
  mailbox.offer(2)
  assert.equal(mailbox.offer(3), false)
  assert.equal(mailbox.refused, 1)
  const [slot] = mailbox.take(1).slots
  assert.equal(mailbox.occupied, 2)
  slot?.free()
  slot?.free()
  assert.equal(freed, 1)
  assert.equal(mailbox.occupied, 1)
})

test('a callback that throws stops neither the freeing nor the next one', (t) => {
  const thrown = uncaughtErrors(t)
  const mailbox = mailboxOf(2)
  const called: string[] = []
  mailbox.offer(0, () => {
    throw new Error('on freed')
  })
  mailbox.offer(1, () => called.push('behind'))
  for (const slot of mailbox.take(2).slots) slot.free()
  assert.equal(mailbox.occupied, 0)
  assert.deepEqual(called, ['behind'])
  assert.deepEqual(thrown.map(String), ['Error: on freed'])
})

test('a near edge whose window exceeds the mailbox throws and keeps its credit', () => {
  const mailbox = mailboxOf(1)
  const edge = nearRef('busy', mailbox, 2)
  assert.equal(edge.tell(1), true)
  assert.throws(() => edge.tell(2), RangeError)
  assert.equal(edge.outstanding, 1)
})

test('a near edge refuses at its own window while the mailbox has slots for other edges', () => {
  const mailbox = mailboxOf(3)
  const edge = nearRef('busy', mailbox, 1)
  assert.equal(edge.tell(1), true)
  assert.equal(edge.tell(2), false)
  assert.equal(mailbox.refused, 1)
  assert.equal(mailbox.occupied, 1)
  let idle = 0
  edge.whenIdle(() => idle++)
  mailbox.take(1).slots[0]?.free()
  assert.equal(edge.room, 1)
  assert.equal(idle, 1)
})

type Step = { readonly do: 'offer' } | { readonly do: 'take' | 'free'; readonly pick: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constant<Step>({ do: 'offer' }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('take' as const), pick: fc.nat(5) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('free' as const), pick: fc.nat(100) }), weight: 3 },
)

test('over any interleaving: never above capacity, in order, nothing lost', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 200, size: 'max' }), (capacity, steps) => {
      const mailbox = mailboxOf(capacity)
      const held: Slot[] = []
      const taken: number[] = []
      let offered = 0
      let freed = 0
      const offer = () => mailbox.offer(offered, () => freed++) && ++offered > 0
      const take = (max: number) => {
        const { messages, slots } = mailbox.take(max)
        assert.ok(messages.length <= max && messages.length === slots.length)
        taken.push(...messages)
        held.push(...slots)
      }
      const free = (pick: number) => held.splice(pick % held.length, 1)[0]?.free()
      for (const each of steps) {
        const before = mailbox.occupied
        if (each.do === 'offer') assert.equal(offer(), before < capacity)
        else if (each.do === 'take') take(each.pick)
        else if (held.length > 0) free(each.pick)
        assert.ok(mailbox.occupied <= capacity)
        assert.equal(mailbox.occupied, offered - freed)
        assert.equal(mailbox.occupied, mailbox.queued + held.length)
      }
      for (take(offered); held.length > 0; take(offered)) free(0)
      assert.deepEqual(
        taken,
        Array.from({ length: offered }, (_, at) => at),
      )
      assert.equal(mailbox.occupied, 0)
    }),
    { seed: 4711, numRuns: 400 },
  )
})
