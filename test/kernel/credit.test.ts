import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CreditWindow } from '../../src/kernel/credit.ts'

test('a refund above what was spent is refused', () => {
  const window = new CreditWindow(3)
  window.spend()
  assert.throws(() => window.refund(2), RangeError)
  assert.throws(() => window.refund(-1), RangeError)
  assert.equal(window.spent, 1)
})

test('a window of zero is refused', () => {
  for (const capacity of [0, -1, 0.5, Number.NaN]) assert.throws(() => new CreditWindow(capacity), RangeError)
})

test('a shut window has no room and nothing outstanding, and is full again when it reopens', () => {
  const window = new CreditWindow(2)
  const called: string[] = []
  window.spend()
  window.whenIdle(() => called.push('idle'))
  window.shut()
  assert.deepEqual(called, ['idle'])
  assert.equal(window.room, 0)
  assert.equal(window.spend(), false)
  window.whenRoom(() => called.push('room'))
  window.reopen()
  assert.equal(window.room, 2)
  assert.deepEqual(called, ['idle'])
  window.wake()
  assert.deepEqual(called, ['idle', 'room'])
})

const step = fc.oneof(
  { arbitrary: fc.constant('spend' as const), weight: 5 },
  { arbitrary: fc.constant('refund' as const), weight: 3 },
  { arbitrary: fc.constant('wait' as const), weight: 2 },
  { arbitrary: fc.constant('shut' as const), weight: 1 },
  { arbitrary: fc.constant('reopen' as const), weight: 1 },
)

test('over any interleaving: never above the window, every waiter called once and only into room', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 200, size: 'max' }), (capacity, steps) => {
      const window = new CreditWindow(capacity)
      const calls: number[] = []
      let spent = 0
      let open = true
      /** Every other waiter uses the room that it was resumed for. */
      const wait = () => {
        const me = calls.push(0) - 1
        window.whenRoom(() => {
          calls[me] = window.room > 0 ? (calls[me] ?? 0) + 1 : Number.NaN
          if (me % 2 === 0 && window.spend()) spent++
        })
      }
      const act: { [name in typeof step extends fc.Arbitrary<infer S> ? S & string : never]: () => void } = {
        spend: () => {
          const took = window.spend()
          assert.equal(took, open && spent < capacity)
          if (took) spent++
        },
        refund: () => {
          if (spent === 0) return
          spent--
          window.refund(1)
        },
        wait,
        shut: () => {
          open = false
          spent = 0
          window.shut()
        },
        reopen: () => {
          open = true
          spent = 0
          window.reopen()
          window.wake()
        },
      }
      for (const each of steps) {
        act[each]()
        assert.equal(window.spent, spent)
        assert.equal(window.room, open ? capacity - spent : 0)
        assert.ok(spent <= capacity && calls.every((times) => times <= 1))
        if (window.room > 0) assert.ok(calls.every((times) => times === 1))
      }
      act.reopen()
      while (spent > 0) act.refund()
      assert.ok(calls.every((times) => times === 1))
    }),
    { seed: 4712, numRuns: 400 },
  )
})
