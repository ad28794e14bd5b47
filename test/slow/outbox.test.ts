import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DESTINATIONS } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, DispatchKind } from '../../src/domain/delivery/dispatch.ts'
import { claimDue, done, hold, type Step, steps } from '../store/outbox/steps.ts'
import { CHANNELS, OutboxSubject, wordsOf } from '../store/outbox/subject.ts'
import { draft, entriesFor, roomAt, settlement } from '../store/support.ts'

const ALL_KINDS = ['delivery', 'notice', 'follow-up', 'page'] as const satisfies readonly DispatchKind[]

const claimAll = (subject: OutboxSubject) => claimDue(subject, DESTINATIONS, 10_000)
const claimAndHold: Step = (subject) => {
  const dispatches = claimAll(subject)
  return () => hold(subject, dispatches)
}

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
  fc.assert(property, { seed: 20_300_101, numRuns: 16, includeErrorInReport: true })
})

/** Every statement of a claim and of a settlement is the last one of a process once, for each kind of dispatch. */
for (const kind of ALL_KINDS)
  test(`a ${kind} survives a disk that fails at any statement of its claim and of its settlement`, () => {
    withSubject((subject) => {
      withAllKindsDue(subject)
      assert(failsAtEach(subject, claimAndHold) > 3)
      const dispatch = [...subject.held.values()].find((one) => one.kind === kind)
      assert(dispatch)
      const settleIt: Step = (one) => {
        one.turn({ settlements: [settlement(dispatch, { state: 'sent' }, { startedAt: one.now })] })
        return () => void one.held.delete(wordsOf(dispatch))
      }
      assert(failsAtEach(subject, settleIt) > 3)
      agree(subject)
    })
  })

test('a settlement of a lease that was undone is unknown, and changes nothing', () => {
  // A twin, whose disk works in the end, says what the claim leased that the disk refuses at its commit.
  withSubject((twin) => {
    withAllKindsDue(twin)
    const commit = failsAtEach(twin, claimAndHold)
    const undone = [...twin.held.values()]
    withSubject((subject) => {
      withAllKindsDue(subject)
      // As on the twin's disk: what a failure forgets is read again.
      assert(subject.failsAt(1, () => claimAll(subject)))
      assert(subject.failsAt(commit, () => claimAll(subject)))
      unknown(subject, undone)
      assert.deepEqual(new Set(undone.map(({ kind }) => kind)), new Set(ALL_KINDS))
      assert.deepEqual(claimAll(subject).map(wordsOf), undone.map(wordsOf))
    })
  })
})

/** Settles what is not leased: that is counted, and changes nothing. */
function unknown(subject: OutboxSubject, dispatches: readonly Dispatch[]): void {
  // The next turn after a failure writes the problems that wait, whatever it settles.
  subject.turn({})
  const { disk } = subject.dump()
  const settlements = dispatches.map((one) => settlement(one, { state: 'sent' }))
  const { settled } = subject.turn({ settlements })
  assert(settled.every((each) => each === undefined))
  assert.equal(subject.store.status.counters().unknownSettlements, dispatches.length)
  assert.deepEqual(subject.dump().disk, disk)
}

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
    hold(subject, claimAll(subject))
    const settlements = [...held.values()].map((one) => settlement(one, { state: 'sent' }, { startedAt: subject.now }))
    subject.turn({ settlements })
    held.clear()
  }
  agree(subject)
  assert.deepEqual(subject.rows('SELECT * FROM dispatches WHERE kind <> 1 AND state IN (0, 1)'), [])
  const unfinished = 'SELECT seq FROM incidents WHERE notify_status = 0 OR oncall_open = 1'
  assert.deepEqual(
    [subject.rows(unfinished), store.status.state().oncall],
    [[], { armed: 0, overdue: 0, forgotten: 0 }],
  )
}

/** Leaves a delivery, a notice, a follow-up and a page that are due. */
function withAllKindsDue(subject: OutboxSubject): void {
  const { store } = subject
  const one = draft()
  const { dispatches } = subject.turn({
    entries: entriesFor(store, [{ drafts: [one, draft()] }]),
    capacity: roomAt(...CHANNELS),
  })
  const settlements = dispatches.map((dispatch) => {
    const verdict =
      dispatch.destination === 'email' ? ({ state: 'dead', reason: 'no' } as const) : ({ state: 'sent' } as const)
    return settlement(dispatch, verdict, { messageId: 'm' })
  })
  subject.turn({ settlements })
  store.operator.acknowledge(one.id, 'Ada')
  subject.turn({ entries: entriesFor(store, [{ drafts: [draft()] }]) })
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
