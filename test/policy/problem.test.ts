import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  flapScoreAt,
  isLate,
  type Problem,
  type ProblemAlert,
  withAlert,
  withEnding,
} from '../../src/policy/problem.ts'

const MINUTE = 60_000

let incident = 0
function alert(changes: Partial<ProblemAlert> = {}): ProblemAlert {
  incident++
  return {
    fingerprint: 'f',
    title: 'Disk full',
    service: 'db',
    severity: 'warning',
    sender: 'grouped_alerts',
    source: 'webhook',
    id: `id-${incident}`,
    status: 'firing',
    incident,
    committedAt: 0,
    ...changes,
  }
}

const after = (...alerts: readonly Partial<ProblemAlert>[]): Problem => {
  let problem: Problem | undefined
  for (const changes of alerts) problem = withAlert(problem, alert(changes))
  assert(problem)
  return problem
}

test('repeats are counted since the problem began to fire, and keep the loudest severity', () => {
  const problem = after({ committedAt: 1 }, { committedAt: 2, severity: 'critical' }, { committedAt: 3 })
  const { state, since, openedAt, lastAt, firing, firingTotal, level, severity, endedBy } = problem
  assert.deepEqual([state, since, openedAt, lastAt, firing, firingTotal], ['firing', 1, 1, 3, 3, 3])
  assert.deepEqual([level, severity, endedBy], [0, 'warning', null])
})

test('a resolved incident ends the problem, and a firing one opens it again with fresh counts', () => {
  const ended = after({ committedAt: 1 }, { committedAt: 2 }, { committedAt: 3, status: 'resolved' })
  assert.deepEqual([ended.state, ended.since, ended.endedBy, ended.firing], ['resolved', 3, 'sender', 2])
  assert.equal(ended.resolvedBy, ended.lastId)
  const again = withAlert({ ...ended, ackedAt: 2, ackedBy: 'Ada' }, alert({ committedAt: 9 }))
  assert.deepEqual([again.state, again.openedAt, again.firing, again.firingTotal], ['firing', 9, 1, 3])
  assert.deepEqual([again.ackedAt, again.ackedBy, again.resolvedBy, again.endedBy], [null, null, null, null])
})

test('a firing incident that its sender began before the resolution does not open the problem again', () => {
  const ended = after({ changedAt: 100 }, { status: 'resolved', changedAt: 200 })
  for (const [changedAt, late] of [
    [199, true],
    [200, false],
    [undefined, false],
  ] as const) {
    const one = alert({ changedAt })
    assert.equal(isLate(ended, one), late, `${changedAt}`)
    assert.equal(withAlert(ended, one).state, late ? 'resolved' : 'firing')
  }
  const withoutTime = after({}, { status: 'resolved' })
  assert.equal(isLate(withoutTime, alert({ changedAt: -1 })), false)
})

test('a second resolution moves the time by which late ones are recognised, and never back', () => {
  const ended = after({}, { status: 'resolved', changedAt: 200 }, { status: 'resolved', changedAt: 150 })
  assert.deepEqual([ended.senderEndedAt, ended.resolvedTotal, ended.since], [200, 2, 0])
})

test('a person and quiet end a problem; only the person counts as a change', () => {
  const problem = after({ committedAt: 0 })
  const byPerson = withEnding(problem, 'person', MINUTE)
  assert.deepEqual(
    [byPerson.state, byPerson.endedBy, byPerson.since, byPerson.flapScore],
    ['resolved', 'person', MINUTE, 1],
  )
  const byQuiet = withEnding(problem, 'quiet', MINUTE)
  assert.deepEqual([byQuiet.state, byQuiet.endedBy, byQuiet.flapScore], ['resolved', 'quiet', 0])
  assert.equal(withEnding(byPerson, 'quiet', 2 * MINUTE), byPerson)
})

test('the flap score rises with each change of state, halves in 30 minutes and is at most 8', () => {
  const changes = Array.from({ length: 20 }, (_, at) => ({
    status: at % 2 ? ('resolved' as const) : ('firing' as const),
  }))
  const flapping = after(...changes)
  assert.equal(flapping.flapScore, 8)
  assert.equal(flapScoreAt(flapping, 30 * MINUTE), 4)
  assert.equal(flapScoreAt(flapping, 60 * MINUTE), 2)
  // A clock that is set back does not raise it.
  assert.equal(flapScoreAt(flapping, -MINUTE), 8)
  assert.equal(after({}, {}, {}).flapScore, 0)
})
