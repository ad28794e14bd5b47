import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Step } from '../../store/outbox/steps.ts'
import type { OutboxSubject } from '../../store/outbox/subject.ts'
import { draft, entriesFor } from '../../store/support.ts'
import { undone, withSubject } from '../property-steps.ts'

test('a turn that opens, repeats and ends problems changes nothing when the disk fails at any of its statements', () => {
  withSubject((subject) => {
    const firing = (fingerprint: string, count: number) => Array.from({ length: count }, () => draft({ fingerprint }))
    subject.turn({ entries: entriesFor(subject.store, [{ drafts: [...firing('f', 600), ...firing('g', 2)] }]) })
    settle(subject)
    const drafts = [
      draft({ fingerprint: 'f', status: 'resolved' }),
      ...firing('g', 2),
      ...firing('new', 1),
      draft({ fingerprint: 'g', status: 'resolved' }),
      // So many resolutions do not wait.
      ...Array.from({ length: 64 }, () => draft({ fingerprint: 'g', status: 'resolved' })),
    ]
    const step: Step = (one) => {
      one.turn({ entries: entriesFor(one.store, [{ drafts }]) })
      return () => {}
    }
    let statement = 1
    // The first ones are each of another kind.
    while (undone(subject, statement, step)) statement += statement < 80 ? 1 : 53
    assert(statement > 500, `${statement} statements`)
    subject.now += 200
    const rest: Step = (one) => {
      one.turn({})
      return () => {}
    }
    let resting = 1
    while (undone(subject, resting, rest)) resting += 7
    assert(resting > 70, `${resting} statements`)
    paired(subject)
  })
})

/** Runs the turns that write what waits. */
function settle(subject: OutboxSubject): void {
  subject.now += 200
  while (subject.store.problems.nextAt() <= subject.now) subject.turn({})
}

/** All firing incidents before the last resolution of their fingerprint are resolved. */
function paired(subject: OutboxSubject): void {
  const open = subject.rows(
    `SELECT seq FROM incidents i WHERE status = 'firing' AND resolved_at IS NULL
       AND EXISTS (SELECT 1 FROM incidents r WHERE r.fingerprint = i.fingerprint AND r.status = 'resolved' AND r.seq > i.seq)`,
  )
  assert.deepEqual(open, [])
  assert.deepEqual(subject.rows('SELECT * FROM pairings'), [])
}
