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
  assert.equal(mailbox.room, 0)
  slot?.free()
  slot?.free()
  assert.equal(freed, 1)
  assert.equal(mailbox.room, 1)
})

test('waiters are resumed in order, one for each freed slot', () => {
  const mailbox = mailboxOf(1)
  const called: string[] = []
  mailbox.offer(0)
  mailbox.whenRoom(() => called.push(`first, taken: ${mailbox.offer(1)}`))
  mailbox.whenRoom(() => called.push(`second, taken: ${mailbox.offer(2)}`))
  mailbox.take(1).slots[0]?.free()
  assert.deepEqual(called, ['first, taken: true'])
  mailbox.take(1).slots[0]?.free()
  assert.deepEqual(called, ['first, taken: true', 'second, taken: true'])
})

test('a callback that throws stops neither the freeing nor the callbacks after it', (t) => {
  const thrown = uncaughtErrors(t)
  const mailbox = mailboxOf(1)
  const called: string[] = []
  mailbox.offer(0, () => {
    throw new Error('on freed')
  })
  mailbox.whenRoom(() => {
    throw new Error('when room')
  })
  mailbox.whenRoom(() => called.push('behind'))
  mailbox.take(1).slots[0]?.free()
  assert.equal(mailbox.room, 1)
  assert.deepEqual(called, ['behind'])
  assert.deepEqual(thrown.map(String), ['Error: on freed', 'Error: when room'])
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
  assert.equal(mailbox.room, 2)
  let idle = 0
  edge.whenIdle(() => idle++)
  mailbox.take(1).slots[0]?.free()
  assert.equal(edge.room, 1)
  assert.equal(idle, 1)
})

type Step = { readonly do: 'offer' } | { readonly do: 'take' | 'free' | 'wait'; readonly pick: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constant<Step>({ do: 'offer' }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('take' as const), pick: fc.nat(5) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('free' as const), pick: fc.nat(100) }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('wait' as const), pick: fc.constant(0) }), weight: 1 },
)

test('over any interleaving: never above capacity, in order, nothing lost, every waiter called once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 200, size: 'max' }), (capacity, steps) => {
      const mailbox = mailboxOf(capacity)
      const held: Slot[] = []
      const taken: number[] = []
      const calls: number[] = []
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
        const roomBefore = mailbox.room
        if (each.do === 'offer') assert.equal(offer(), roomBefore > 0)
        else if (each.do === 'take') take(each.pick)
        else if (each.do === 'free') held.length > 0 && free(each.pick)
        else {
          const me = calls.push(0) - 1
          mailbox.whenRoom(() => {
            calls[me] = mailbox.room > 0 ? (calls[me] ?? 0) + 1 : Number.NaN
            if (me % 2 === 0) offer()
          })
        }
        assert.ok(mailbox.occupied <= capacity)
        assert.equal(mailbox.occupied, offered - freed)
        assert.equal(mailbox.occupied, mailbox.queued + held.length)
        if (mailbox.room > 0) assert.ok(calls.every((times) => times === 1))
      }
      for (take(offered); held.length > 0; take(offered)) free(0)
      assert.deepEqual(
        taken,
        Array.from({ length: offered }, (_, at) => at),
      )
      assert.equal(mailbox.occupied, 0)
      assert.ok(calls.every((times) => times === 1))
    }),
    { seed: 4711, numRuns: 400 },
  )
})
