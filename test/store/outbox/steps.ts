import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DESTINATIONS, type Destination, type DispatchVerdict } from '../../../src/domain/delivery.ts'
import { commitAndApply, draft, settlement } from '../support.ts'
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
    reserved: fc.subarray([...CHANNELS]),
  })
  .map(
    ({ count, fingerprint, status, reserved }): Step =>
      (subject) => {
        const drafts = Array.from({ length: count }, () => draft({ fingerprint, status }))
        const { store } = subject
        const hasSlot = (to: string) => reserved.some((name) => name === to)
        const { dispatches } = store.write(() => commitAndApply(store, { drafts }, hasSlot))
        return () => hold(subject, dispatches)
      },
  )

const claim = fc.record({ from: destinations, slots: fc.integer({ min: 0, max: 5 }) }).map(
  ({ from, slots }): Step =>
    (subject) => {
      const { dispatches } = claimDue(subject, from, slots)
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
        store.write(() => store.outbox.settle(one))
        return () => {
          assert.equal(store.status.counters().unknownSettlements, before)
          held.delete(wordsOf(dispatch))
          subject.settled.push(dispatch)
        }
      },
  )

function verdictOf(how: string, at: number): DispatchVerdict {
  switch (how) {
    case 'dead':
      return { state: 'dead', reason: 'gone' }
    case 'pending':
      return { state: 'pending', at }
    case 'released':
      return { state: 'released' }
    default:
      return { state: 'sent' }
  }
}

/** A sender that is thought to be dead settles late, or a settlement arrives twice. */
const settleLate = fc.nat({ max: 2 }).map(
  (nth): Step =>
    (subject) => {
      const { store, settled } = subject
      const late = settled.at(-1 - nth)
      if (late === undefined || subject.held.has(wordsOf(late))) return done
      const before = store.status.counters().unknownSettlements
      store.write(() => store.outbox.settle(settlement(late, { state: 'sent' })))
      return () => assert.equal(store.status.counters().unknownSettlements, before + 1)
    },
)

const reclaim = destinations.map(
  (of): Step =>
    (subject) => {
      const lost = [...subject.held].filter(([, { destination }]) => of.includes(destination))
      assert.equal(
        subject.store.write(() => subject.store.outbox.reclaim(of)),
        lost.length,
      )
      return () => {
        for (const [words, dispatch] of lost) {
          subject.held.delete(words)
          subject.settled.push(dispatch)
        }
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
        store.write((): unknown => {
          if (what === 'acknowledge') return store.operator.acknowledge(id, 'Ada')
          if (what === 'resolve') return store.operator.resolve(id, 'Ada')
          if (what === 'replay') return store.operator.replay({ state: 'dead' })
          return what === 'resend' ? store.operator.resend(id) : store.outbox.makeDueNow()
        })
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
      reclaim,
      operate,
      wait,
      reopen,
    ),
    failsAt: fc.option(fc.integer({ min: 1, max: 40 })),
  }),
  { maxLength: 40, size: 'max' },
)

export function claimDue({ store }: OutboxSubject, from: readonly Destination[], slots: number) {
  return store.write(() => store.outbox.claim(new Map(from.map((to) => [to, { slots, maxBytes: 1e9 }]))))
}

export function hold({ held }: OutboxSubject, dispatches: ReturnType<typeof claimDue>['dispatches']): void {
  for (const dispatch of dispatches) {
    assert(!held.has(wordsOf(dispatch)), `${wordsOf(dispatch)} is with two senders`)
    held.set(wordsOf(dispatch), dispatch)
  }
}
