import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DESTINATIONS, type Destination } from '../../../src/domain/delivery/delivery.ts'
import type { Dispatch } from '../../../src/domain/delivery/dispatch.ts'
import { draft, entriesFor, settlement, verdictOf } from '../support.ts'
import { CHANNELS, type OutboxSubject, wordsOf } from './subject.ts'

/** A step, in a transaction; returns what its effect on the senders is once it is on disk. */
export type Step = (subject: OutboxSubject) => () => void

export const done = () => {}
const destinations = fc.subarray<Destination>([...DESTINATIONS])

const commit = fc
  .record({
    count: fc.integer({ min: 1, max: 3 }),
    fingerprint: fc.constantFrom('f', 'g'),
    status: fc.constantFrom('firing', 'firing', 'resolved'),
    withRoom: fc.subarray([...CHANNELS]),
    slots: fc.integer({ min: 1, max: 5 }),
  })
  .map(
    ({ count, fingerprint, status, withRoom, slots }): Step =>
      (subject) => {
        const drafts = Array.from({ length: count }, () => draft({ fingerprint, status }))
        const entries = entriesFor(subject.store, [{ drafts }], subject.now)
        const { dispatches } = subject.turn({ entries, capacity: slotsAt(withRoom, slots) })
        return () => hold(subject, dispatches)
      },
  )

const claim = fc.record({ from: destinations, slots: fc.integer({ min: 0, max: 5 }) }).map(
  ({ from, slots }): Step =>
    (subject) => {
      const dispatches = claimDue(subject, from, slots)
      return () => hold(subject, dispatches)
    },
)

const settle = fc
  .record({
    nth: fc.nat({ max: 100 }),
    how: fc.constantFrom('sent', 'sent', 'dead', 'pending', 'released'),
    afterMs: fc.integer({ min: -5, max: 20_000 }),
    mayDuplicate: fc.boolean(),
    messageId: fc.boolean(),
  })
  .map(
    ({ nth, how, afterMs, mayDuplicate, messageId }): Step =>
      (subject) => {
        const { store, held } = subject
        const dispatch = [...held.values()][nth % Math.max(1, held.size)]
        if (dispatch === undefined) return done
        const changes = { mayDuplicate, startedAt: subject.now, ...(messageId && { messageId: 'm' }) }
        const one = settlement(dispatch, verdictOf(how, subject.now + afterMs), changes)
        const before = store.status.counters().unknownSettlements
        subject.turn({ settlements: [one] })
        return () => {
          assert.equal(store.status.counters().unknownSettlements, before)
          held.delete(wordsOf(dispatch))
          subject.settled.push(dispatch)
        }
      },
  )

/** A sender that is thought to be dead settles late, or a settlement arrives twice. */
const settleLate = fc.nat({ max: 2 }).map(
  (nth): Step =>
    (subject) => {
      const { store, settled } = subject
      const late = settled.at(-1 - nth)
      if (late === undefined || subject.held.has(wordsOf(late))) return done
      const before = store.status.counters().unknownSettlements
      subject.turn({ settlements: [settlement(late, { state: 'sent' })] })
      return () => assert.equal(store.status.counters().unknownSettlements, before + 1)
    },
)

/** All senders die; the last that some of them settled is in the same turn. */
const loseSenders = fc.nat({ max: 3 }).map(
  (count): Step =>
    (subject) => {
      const { store, held, settled } = subject
      const settlements = [...held.values()].slice(0, count).map((one) => settlement(one, { state: 'sent' }))
      const before = store.status.counters().unknownSettlements
      subject.turn({ settlements, sendersLost: true })
      return () => {
        assert.equal(store.status.counters().unknownSettlements, before)
        settled.push(...held.values())
        held.clear()
      }
    },
)

const operate = fc
  .record({ what: fc.constantFrom('acknowledge', 'resolve', 'replay', 'resend', 'due now'), nth: fc.nat({ max: 20 }) })
  .map(
    ({ what, nth }): Step =>
      (subject) => {
        const { store } = subject
        const ids = subject.rows<{ id: string }>('SELECT id FROM incidents ORDER BY seq')
        const id = ids[nth % Math.max(1, ids.length)]?.id ?? ''
        if (what === 'acknowledge') store.operator.acknowledge(id, 'Ada')
        else if (what === 'resolve') store.operator.resolve(id, 'Ada')
        else if (what === 'replay') store.operator.replay({ state: 'dead' })
        else if (what === 'resend') store.operator.resend(id)
        else store.outbox.makeDueNow()
        return done
      },
  )

const wait = fc.integer({ min: 0, max: 90_000 }).map(
  (ms): Step =>
    (subject) =>
    () => {
      subject.now += ms
    },
)

const setClock = fc.integer({ min: -5_000, max: 5_000 }).map(
  (clockJumpMs): Step =>
    (subject) => {
      subject.turn({ clockJumpMs })
      return () => {
        subject.now += clockJumpMs
      }
    },
)

const reopen = fc.constant<Step>((subject) => () => subject.reopen())

// A kind of step that is listed twice is drawn more often.
export const steps = fc.array(
  fc.record({
    step: fc.oneof(
      commit,
      commit,
      claim,
      claim,
      claim,
      settle,
      settle,
      settle,
      settle,
      settleLate,
      settleLate,
      loseSenders,
      operate,
      wait,
      setClock,
      reopen,
    ),
    failsAt: fc.option(fc.integer({ min: 1, max: 40 })),
  }),
  { maxLength: 40, size: 'max' },
)

export const claimDue = (subject: OutboxSubject, from: readonly Destination[], slots: number) =>
  subject.turn({ capacity: slotsAt(from, slots) }).dispatches

const slotsAt = (destinations: readonly Destination[], slots: number) =>
  new Map(destinations.map((to) => [to, { slots, maxBytes: 1e9 }]))

export function hold({ held }: OutboxSubject, dispatches: readonly Dispatch[]): void {
  for (const dispatch of dispatches) {
    assert(!held.has(wordsOf(dispatch)), `${wordsOf(dispatch)} is with two senders`)
    held.set(wordsOf(dispatch), dispatch)
  }
}
