import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DESTINATIONS } from '../../../src/domain/delivery.ts'
import type { Dispatch, DispatchKind } from '../../../src/domain/dispatch.ts'
import { commitAndApply, draft, settlement } from '../support.ts'
import { claimDue, done, hold, type Step, steps } from './steps.ts'
import { OutboxSubject, wordsOf } from './subject.ts'

const DEFAULT_SLOTS = 100

test('after any steps, each on a disk that may fail at any statement, nothing is lost and memory equals the disk', () => {
  const property = fc.property(steps, (list) => {
    withSubject((subject) => {
      for (const { step, failsAt } of list) {
        if (failsAt !== null) undoneWholly(subject, failsAt, step)
        step(subject)()
        agree(subject)
      }
      drain(subject)
    })
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 60, includeErrorInReport: true })
})

/** Every statement of a claim and of a settlement is the last one of a process once, for each kind of dispatch. */
for (const kind of ['delivery', 'notice', 'follow-up', 'page'] satisfies DispatchKind[])
  test(`a ${kind} survives a disk that fails at any statement of its claim and of its settlement`, () => {
    withSubject((subject) => {
      withAllKindsDue(subject)
      const claimAll: Step = (one) => {
        const { dispatches } = claimDue(one, DESTINATIONS, DEFAULT_SLOTS)
        return () => hold(one, dispatches)
      }
      assert(failsAtEach(subject, claimAll) > 3)
      const dispatch = [...subject.held.values()].find((one) => one.kind === kind)
      assert(dispatch)
      const settleIt: Step = ({ store, held, now }) => {
        store.write(() => store.outbox.settle(settlement(dispatch, { state: 'sent' }, { startedAt: now })))
        return () => void held.delete(wordsOf(dispatch))
      }
      assert(failsAtEach(subject, settleIt) > 3)
      agree(subject)
    })
  })

test('a settlement of a lease that was undone is unknown, and changes nothing', () => {
  withSubject((subject) => {
    withAllKindsDue(subject)
    const { store } = subject
    const undone: Dispatch[] = []
    const claimAndFail = () => {
      undone.push(
        ...store.outbox.claim(new Map(DESTINATIONS.map((to) => [to, { slots: 9, maxBytes: 1e9 }]))).dispatches,
      )
      throw new RangeError('on purpose')
    }
    assert.throws(() => store.write(claimAndFail), RangeError)
    const { disk } = subject.dump()
    for (const dispatch of undone)
      assert.equal(
        store.write(() => store.outbox.settle(settlement(dispatch, { state: 'sent' }))),
        undefined,
      )
    assert.equal(new Set(undone.map(({ kind }) => kind)).size, 4)
    assert.equal(store.status.counters().unknownSettlements, undone.length)
    assert.deepEqual(subject.dump().disk, disk)
  })
})

test('a lease belongs to one life of the process: what it leased is due again after it and may duplicate', () => {
  withSubject((subject) => {
    withAllKindsDue(subject)
    const before = claimDue(subject, DESTINATIONS, DEFAULT_SLOTS).dispatches
    const owner = () => subject.rows<{ life: number }>('SELECT life FROM process')[0]?.life
    assert.equal(owner(), 1)
    assert.deepEqual(new Set(before.map(({ kind }) => kind)), new Set(['delivery', 'notice', 'follow-up', 'page']))
    subject.reopen()
    assert.equal(owner(), 2)
    const again = claimDue(subject, DESTINATIONS, DEFAULT_SLOTS).dispatches
    assert.deepEqual(again.map(wordsOf).sort(), before.map(wordsOf).sort())
    assert(again.every(({ mayDuplicate }) => mayDuplicate))
    assert.equal(
      subject.store.write(() => subject.store.outbox.reclaim(DESTINATIONS)),
      again.length,
    )
    const { disk } = subject.dump()
    for (const dispatch of again)
      subject.store.write(() => subject.store.outbox.settle(settlement(dispatch, { state: 'sent' })))
    assert.equal(subject.store.status.counters().unknownSettlements, again.length)
    assert.deepEqual(subject.dump().disk, disk)
  })
})

/** Runs the step on a disk that fails; returns whether it got as far. A failed one changed nothing. */
function undoneWholly(subject: OutboxSubject, statement: number, step: Step): boolean {
  const before = subject.dump()
  if (!subject.failsAt(statement, () => step(subject))) {
    // The step took fewer statements and is on disk; forget it, as a process that dies right after its commit.
    subject.reopen()
    return false
  }
  assert.deepEqual(subject.dump(), before)
  return true
}

/** Lets the disk fail at each statement of the step in turn, then takes the step; returns their number. */
function failsAtEach(subject: OutboxSubject, step: Step): number {
  const before = subject.dump()
  let statement = 1
  let taken = done
  while (subject.failsAt(statement, () => (taken = step(subject)))) {
    assert.deepEqual(subject.dump(), before)
    statement++
  }
  taken()
  return statement - 1
}

/** Memory equals the disk, and the leases on disk are what the senders hold. */
function agree(subject: OutboxSubject): void {
  assert.deepEqual(subject.memory(), subject.recounted())
  assert.deepEqual(subject.leased(), [...subject.held.keys()].sort())
  const stray = subject.rows(
    'SELECT * FROM dispatches WHERE state <> 1 AND (lease_owner NOT NULL OR lease_until NOT NULL)',
  )
  assert.deepEqual(stray, [])
  assert.deepEqual(subject.wrongStatuses(), [])
}

/** Sends everything that is left; then nothing is pending, and every incident has ended on each channel. */
function drain(subject: OutboxSubject): void {
  const { store, held } = subject
  for (let round = 0; round < 6; round++) {
    subject.now += 15 * 60_000
    hold(subject, claimDue(subject, DESTINATIONS, 10_000).dispatches)
    for (const [words, dispatch] of [...held]) {
      store.write(() => store.outbox.settle(settlement(dispatch, { state: 'sent' }, { startedAt: subject.now })))
      held.delete(words)
    }
  }
  agree(subject)
  assert.deepEqual(subject.rows('SELECT * FROM dispatches WHERE kind <> 1 AND state IN (0, 1)'), [])
  const unfinished = 'SELECT seq FROM incidents WHERE notify_status = 0 OR oncall_open <> 0'
  assert.deepEqual([subject.rows(unfinished), store.oncall.counters()], [[], { armed: 0, overdue: 0 }])
}

/** Leaves a delivery, a notice, a follow-up and a page that are due. */
function withAllKindsDue(subject: OutboxSubject): void {
  const { store } = subject
  const one = draft()
  const { dispatches } = store.write(() => commitAndApply(store, { drafts: [one, draft()] }, () => true))
  store.write(() => {
    for (const dispatch of dispatches) {
      const verdict =
        dispatch.destination === 'email' ? ({ state: 'dead', reason: 'no' } as const) : ({ state: 'sent' } as const)
      store.outbox.settle(settlement(dispatch, verdict, { messageId: 'm' }))
    }
    store.operator.acknowledge(one.id, 'Ada')
    commitAndApply(store, { drafts: [draft()] }, () => false)
  })
  subject.now += 31_000
}

function withSubject(use: (subject: OutboxSubject) => void): void {
  const cleaning: (() => void)[] = []
  try {
    use(new OutboxSubject({ after: (clean) => cleaning.push(clean) }))
  } finally {
    for (const clean of cleaning.toReversed()) clean()
  }
}
