import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OutboxSubject } from '../../store/outbox/subject.ts'
import { draft, entriesFor } from '../../store/support.ts'
import { ProblemModel } from './problem-model.ts'

const HOUR = 3_600_000
const RUNS = 20

/** Acts on the store, and returns what a person would write down of it. */
type Step = (subject: OutboxSubject) => (model: ProblemModel) => void

const SENDER = { f: 'grouped_alerts', g: 'grouped_alerts', h: 'custom' } as const

const alert = fc.record({
  fingerprint: fc.constantFrom('f', 'g', 'h'),
  status: fc.constantFrom('firing', 'firing', 'resolved'),
  severity: fc.constantFrom('critical', 'warning', 'info'),
  /** An alert may come after the end of a later one. */
  agoMs: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
})

const arrivals = fc.array(alert, { minLength: 1, maxLength: 12 }).map(
  (alerts): Step =>
    (subject) => {
      const at = subject.now
      const drafts = alerts.map(({ agoMs, fingerprint, ...words }) => ({
        ...draft({ ...words, fingerprint, ...(agoMs !== undefined && { changedAt: at - agoMs }) }),
        sender: SENDER[fingerprint],
      }))
      const { applied } = subject.store.journal.progress()
      subject.turn({ entries: entriesFor(subject.store, [{ drafts }], at) })
      return (model) => {
        for (const [nth, one] of drafts.entries()) model.arrive({ ...one, at, seq: applied + 1 + nth })
        model.quiet(at)
      }
    },
)

const waits = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 30 * HOUR })).map(
  (ms): Step =>
    (subject) => {
      subject.now += ms
      subject.turn({})
      return (model) => model.quiet(subject.now)
    },
)

/** The clock is set while the service runs. */
const clockJumps = fc.integer({ min: -2 * HOUR, max: 2 * HOUR }).map(
  (clockJumpMs): Step =>
    (subject) => {
      subject.now += clockJumpMs
      subject.turn({ clockJumpMs })
      return (model) => {
        model.shift(clockJumpMs)
        model.quiet(subject.now)
      }
    },
)

const operations = fc.record({ ends: fc.boolean(), nth: fc.nat({ max: 30 }) }).map(
  ({ ends, nth }): Step =>
    (subject) => {
      const ids = subject.rows<{ id: string }>('SELECT id FROM incidents ORDER BY seq')
      const at = ids.length === 0 ? 0 : nth % ids.length
      const id = ids[at]?.id ?? ''
      if (ends) {
        subject.store.operator.resolve(id, 'Ada')
        return (model) => model.resolve(at, subject.now)
      }
      const { kind } = subject.store.operator.acknowledge(id, 'Ada')
      return (model) => kind === 'acknowledged' && model.acknowledge(at, subject.now)
    },
)

const restarts = fc.constant<Step>((subject) => {
  subject.reopen()
  return (model) => model.restart(subject.now)
})

/** The clock is set back while the service is down. */
const restartsEarlier = fc.nat({ max: 40 * HOUR }).map(
  (ms): Step =>
    (subject) => {
      const settled = settle(subject)
      subject.now -= ms
      subject.reopen()
      return (model) => {
        settled(model)
        model.restart(subject.now)
      }
    },
)

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        step: fc.oneof(arrivals, arrivals, arrivals, waits, clockJumps, operations),
        failsAt: fc.option(fc.integer({ min: 1, max: 60 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ step: fc.oneof(restarts, restartsEarlier), failsAt: fc.constant(null) }) },
  ),
  { minLength: 4, maxLength: 20, size: 'max' },
)

let failures = 0
let [late, quiet] = [0, 0]

test('in any order of arrival, on a disk that fails and a clock that jumps, problems are what a list of all incidents says', () => {
  const property = fc.property(steps, (list) => {
    const cleaning: (() => void)[] = []
    const oncall = { enable: false, waitMs: 0, provider: 'webhook' }
    const subject = new OutboxSubject({ after: (clean) => void cleaning.push(clean) }, { oncall })
    const model = new ProblemModel()
    try {
      for (const { step, failsAt } of list) done(subject, step, failsAt)(model)
      settle(subject)(model)
      agree(subject, model)
      subject.reopen()
      model.restart(subject.now)
      agree(subject, model)
      late += model.lateOnes
      quiet += model.quietEnds
    } finally {
      for (const clean of cleaning.toReversed()) clean()
    }
  })
  fc.assert(property, { seed: 20_300_101, numRuns: RUNS, includeErrorInReport: true })
  assert.ok(failures > RUNS && late > RUNS && quiet > RUNS / 5, `${failures} failures, ${late} late, ${quiet} quiet`)
})

/** Takes a step, a second time when the disk failed. */
function done(subject: OutboxSubject, step: Step, failsAt: number | null): ReturnType<Step> {
  if (failsAt === null) return step(subject)
  const { now } = subject
  let change: ReturnType<Step> | undefined
  const failed = subject.failsAt(failsAt, () => {
    change = step(subject)
  })
  if (!failed && change !== undefined) return change
  failures++
  subject.now = now
  return step(subject)
}

/** Runs the turns that write what waits. */
function settle(subject: OutboxSubject): ReturnType<Step> {
  const times: number[] = []
  do {
    subject.now += 200
    subject.turn({})
    times.push(subject.now)
    assert.ok(times.length < 50, 'work without end')
  } while (subject.store.problems.nextAt() <= subject.now + 200)
  return (model) => {
    for (const time of times) model.quiet(time)
  }
}

function agree(subject: OutboxSubject, model: ProblemModel): void {
  const problems = model.problems()
  const columns = Object.keys(problems[0] ?? { fingerprint: '' }).join(', ')
  assert.deepEqual(subject.rows(`SELECT ${columns} FROM problems ORDER BY fingerprint`), nullPrototypes(problems))
  assert.equal(subject.store.problems.list({ limit: 1 }).firing, problems.filter(({ state }) => state === 0).length)
  const stray = `SELECT seq FROM incidents i WHERE NOT EXISTS
    (SELECT 1 FROM problems p WHERE p.id = i.problem AND p.fingerprint = i.fingerprint AND p.id <= i.seq)`
  assert.deepEqual(subject.rows(stray), [])
  const incidents = `SELECT seq, previous, iif(status = 'firing', resolved_at, NULL) AS resolved_at, resolved_by FROM incidents ORDER BY seq`
  assert.deepEqual(subject.rows(incidents), nullPrototypes(model.incidents()))
}

/** Rows of the database have no prototype. */
const nullPrototypes = (rows: readonly object[]) => rows.map((row) => Object.assign(Object.create(null), row))
