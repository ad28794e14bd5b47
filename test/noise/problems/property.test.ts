import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Step, steps } from '../../store/outbox/steps.ts'
import type { OutboxSubject } from '../../store/outbox/subject.ts'
import { draft, entriesFor } from '../../store/support.ts'
import { scattered, undone, withSubject } from '../property-steps.ts'

const HOUR = 3_600_000

/** Incidents whose order of arrival is not that of their alerts. */
const arrivals = fc
  .array(
    fc.record({
      fingerprint: fc.constantFrom('f', 'g', 'h'),
      status: fc.constantFrom('firing', 'firing', 'resolved'),
      sender: fc.constantFrom('grouped_alerts', 'custom'),
      agoMs: fc.option(fc.integer({ min: 0, max: 10_000 })),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list): { step: Step; failsAt: null } => ({
    failsAt: null,
    step: (subject) => {
      const drafts = list.map(({ agoMs, ...changes }) =>
        draft({ ...changes, ...(agoMs !== null && { changedAt: subject.now - agoMs }) }),
      )
      subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
      return () => {}
    },
  }))
const longWait = fc.integer({ min: 0, max: 30 * HOUR }).map((ms): { step: Step; failsAt: null } => ({
  failsAt: null,
  step: (subject) => {
    subject.now += ms
    subject.turn({})
    return () => {}
  },
}))
const smallWait = fc.integer({ min: 0, max: 300 }).map((ms): { step: Step; failsAt: null } => ({
  failsAt: null,
  step: (subject) => {
    subject.now += ms
    subject.turn({})
    return () => {}
  },
}))
/** Problems that memory does not hold are read from the disk. */
const reopening = fc.constant<{ step: Step; failsAt: null }>({
  failsAt: null,
  step: (subject) => {
    subject.reopen()
    return () => {}
  },
})
const extra = fc.array(fc.oneof(arrivals, arrivals, smallWait, longWait, reopening), { maxLength: 12 })

let [quiet, late] = [0, 0]

test('after any steps, each on a disk that may fail at any statement, problems agree with the incidents', () => {
  const property = fc.property(steps, extra, fc.infiniteStream(fc.nat()), (list, more, at) => {
    const all = scattered(list, more, at)
    withSubject((subject) => {
      for (const { step, failsAt } of all) {
        if (failsAt !== null) undone(subject, failsAt, step)
        step(subject)()
        consistent(subject)
      }
      settle(subject)
      paired(subject)
      subject.reopen()
      consistent(subject)
    })
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 60, includeErrorInReport: true })
  assert(quiet > 10 && late > 10, `${quiet} ended by quiet, ${late} late`)
})

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
    consistent(subject)
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

interface Counted {
  readonly fingerprint: string
  readonly firing: number
  readonly resolved: number
  readonly last: number
}

/** Runs the turns that write what waits. */
function settle(subject: OutboxSubject): void {
  subject.now += 200
  while (subject.store.problems.nextAt() <= subject.now) subject.turn({})
}

const ADDED = 'seq <= (SELECT through FROM problem_progress)'

/** Problems on disk as a count of the incidents that they have. */
function consistent(subject: OutboxSubject): void {
  const stored = subject.rows<Counted>(
    'SELECT fingerprint, firing_total AS firing, resolved_total AS resolved, last_incident AS last FROM problems ORDER BY fingerprint',
  )
  const counted = subject.rows<Counted>(
    `SELECT fingerprint, sum(status = 'firing') AS firing, sum(status = 'resolved') AS resolved, max(seq) AS last
     FROM incidents WHERE ${ADDED} GROUP BY fingerprint ORDER BY fingerprint`,
  )
  assert.deepEqual(stored, counted)
  const chains = subject.rows(
    `SELECT * FROM (SELECT seq, previous, lag(seq) OVER (PARTITION BY fingerprint ORDER BY seq) AS before FROM incidents)
     WHERE previous IS NOT before AND ${ADDED}`,
  )
  assert.deepEqual(chains, [])
  // The latest incident decides, unless it came late, or a person or quiet ended the problem after it.
  const wrong = subject.rows(
    `SELECT p.fingerprint, p.state, p.ended_by, i.status FROM problems p JOIN incidents i ON i.seq = p.last_incident
     WHERE (i.status = 'resolved' AND p.state = 0) OR (p.state = 0 AND (p.ended_by IS NOT NULL OR (i.resolved_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM incidents r WHERE r.fingerprint = p.fingerprint AND r.seq > i.seq))))
       OR (p.state = 1 AND p.ended_by IS NULL)`,
  )
  assert.deepEqual(wrong, [])
  const foreign = subject.rows(
    `SELECT i.seq FROM incidents i LEFT JOIN incidents r ON r.id = i.resolved_by
     WHERE i.resolved_by IS NOT NULL AND (r.fingerprint IS NOT i.fingerprint OR r.status <> 'resolved' OR i.status <> 'firing')`,
  )
  assert.deepEqual(foreign, [])
  const [firing] = subject.rows<{ n: number }>('SELECT count(*) AS n FROM problems WHERE state = 0')
  assert.equal(subject.store.problems.list({ limit: 1 }).firing, firing?.n)
  const [oldest] = subject.rows<{ at: number | null }>(
    `SELECT min(last_at + iif(brief, ${HOUR / 2}, ${24 * HOUR})) AS at FROM problems WHERE state = 0`,
  )
  assert(subject.store.problems.nextAt() <= (oldest?.at ?? Infinity), 'no turn ends a quiet problem')
  const [ended] = subject.rows<{ n: number }>("SELECT count(*) AS n FROM problems WHERE ended_by = 'quiet'")
  const [after] = subject.rows<{ n: number }>(
    'SELECT count(*) AS n FROM incidents i JOIN incidents r ON r.id = i.resolved_by WHERE i.seq > r.seq',
  )
  quiet += ended?.n ?? 0
  late += after?.n ?? 0
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
