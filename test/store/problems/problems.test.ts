import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import { draft, entriesFor, START, StoreRig, withCode } from '../support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const grouped = (changes: Partial<Draft> = {}) => draft({ sender: 'grouped_alerts', fingerprint: 'f', ...changes })

function problemOf(rig: StoreRig, fingerprint = 'f') {
  rest(rig)
  const found = rig.store.problems.list({ limit: 500 }).problems.find((problem) => problem.fingerprint === fingerprint)
  assert(found)
  return found
}

/** Runs the turns of the next 200 ms. */
function rest(rig: StoreRig): void {
  const before = rig.now
  rig.now += 200
  while (rig.store.problems.nextAt() <= rig.now) rig.turn({})
  rig.now = before
}

test('a resolved incident resolves the incidents of its problem, although none of them pages', (t) => {
  const rig = new StoreRig(t)
  const [one, other] = [rig.spill(grouped()), rig.spill(grouped())]
  const elsewhere = rig.spill(grouped({ fingerprint: 'g' }))
  rig.now += 1_000
  const end = rig.spill(grouped({ status: 'resolved' }))
  rest(rig)
  for (const id of [one, other]) {
    const { status, reported_status, resolved_at, resolved_by } = rig.detail(id)
    assert.deepEqual([status, reported_status, resolved_by], ['resolved', 'firing', end])
    assert.equal(resolved_at, new Date(START + 1_000).toISOString())
  }
  assert.equal(rig.detail(elsewhere).status, 'firing')
  assert.equal(rig.detail(end).resolved_by, null)
  const { state, ended_by, resolved_by, firing, resolved_total } = problemOf(rig)
  assert.deepEqual([state, ended_by, resolved_by, firing, resolved_total], ['resolved', 'sender', end, 2, 1])
  assert.equal(rig.store.problems.list({ limit: 10 }).firing, 1)
})

test('incidents that an earlier resolution ended keep it', (t) => {
  const rig = new StoreRig(t)
  const first = rig.spill(grouped())
  const end = rig.spill(grouped({ status: 'resolved' }))
  const second = rig.spill(grouped())
  const secondEnd = rig.spill(grouped({ status: 'resolved' }))
  rest(rig)
  assert.deepEqual([rig.detail(first).resolved_by, rig.detail(second).resolved_by], [end, secondEnd])
})

test('many incidents are added to their problem, and resolved with it, by several turns and across a restart', (t) => {
  const rig = new StoreRig(t, { maxBacklog: 100_000, maxIncidents: 100_000 })
  const drafts = Array.from({ length: 1_500 }, () => grouped())
  rig.commit({ drafts })
  assert.deepEqual(rig.store.problems.list({ limit: 1 }).problems, [])
  rest(rig)
  assert.equal(problemOf(rig).firing, 1_500)
  rig.spill(grouped({ status: 'resolved' }))
  rig.now += 200
  rig.turn({})
  const open = () => drafts.filter(({ id }) => rig.detail(id).status === 'firing').length
  assert(open() > 900 && open() < 1_000, 'a turn does a part of it')
  rig.reopen()
  rest(rig)
  assert.equal(open(), 0)
})

test('a late firing incident is resolved by the resolution that came before it', (t) => {
  const rig = new StoreRig(t)
  rig.spill(grouped({ changedAt: START - 9_000 }))
  const end = rig.spill(grouped({ status: 'resolved', changedAt: START - 5_000 }))
  const late = rig.spill(grouped({ changedAt: START - 9_000 }))
  rest(rig)
  assert.deepEqual([rig.detail(late).status, rig.detail(late).resolved_by], ['resolved', end])
  assert.equal(problemOf(rig).state, 'resolved')
  const next = rig.spill(grouped({ changedAt: START - 1_000 }))
  assert.equal(rig.detail(next).status, 'firing')
  assert.equal(problemOf(rig).state, 'firing')
})

test('quiet ends a problem: after 30 minutes where the sender never resolves, after 24 hours elsewhere', (t) => {
  const rig = new StoreRig(t)
  rig.spill(draft({ fingerprint: 'c' }))
  rig.spill(grouped())
  assert.equal(problemOf(rig, 'c').ends_at, new Date(START + 30 * MINUTE).toISOString())
  rig.now += 20 * MINUTE
  rig.spill(draft({ fingerprint: 'c' }))
  const states = () => {
    rest(rig)
    return [problemOf(rig, 'c').state, problemOf(rig).state]
  }
  rig.now += 29 * MINUTE
  assert.deepEqual(states(), ['firing', 'firing'])
  rig.now += MINUTE
  rig.reopen()
  assert.deepEqual(states(), ['resolved', 'firing'])
  assert.equal(problemOf(rig, 'c').ended_by, 'quiet')
  rig.now = START + 24 * HOUR
  assert.deepEqual(states(), ['resolved', 'resolved'])
  assert.equal(rig.store.problems.nextAt(), Infinity)
})

test('a clock that is set moves the end of a problem with it', (t) => {
  const rig = new StoreRig(t)
  rig.spill(grouped())
  rig.now += 48 * HOUR
  rig.turn({ clockJumpMs: 48 * HOUR })
  rest(rig)
  assert.equal(problemOf(rig).state, 'firing')
  rig.now -= 48 * HOUR
  rig.turn({ clockJumpMs: -48 * HOUR })
  assert.equal(problemOf(rig).ends_at, new Date(START + 24 * HOUR).toISOString())
  // A problem of a clock that was wrong before a restart ends at most 24 hours after it.
  rig.now -= 5 * HOUR
  rig.reopen()
  assert.equal(problemOf(rig).ends_at, new Date(rig.now + 24 * HOUR).toISOString())
})

test('acknowledging a problem acknowledges its latest incident and the one that pages for it', (t) => {
  const rig = new StoreRig(t, { oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } })
  const [one, other] = [rig.spill(grouped()), rig.spill(grouped())]
  const { id } = problemOf(rig)
  const changes = rig.store.problems.acknowledge(id, 'Ada')
  assert.equal(changes?.length, 2)
  const states = [one, other].map((each) => [rig.detail(each).acked_by, rig.detail(each).oncall?.state])
  assert.deepEqual(states, [
    ['Ada', 'acknowledged'],
    ['Ada', 'joined'],
  ])
  assert.equal(problemOf(rig).acked_by, 'Ada')
  assert.deepEqual(rig.store.problems.acknowledge(id, 'Bob'), [])
  assert.equal(problemOf(rig).acked_by, 'Ada')
  assert.equal(rig.store.problems.acknowledge(99, 'Ada'), undefined)
})

test('resolving an incident or its problem resolves all incidents of it', (t) => {
  const rig = new StoreRig(t)
  for (const resolve of [
    (incident: string) => rig.store.operator.resolve(incident, 'Ada'),
    () => rig.store.problems.resolve(problemOf(rig).id, 'Ada'),
  ]) {
    const ids = [rig.spill(grouped()), rig.spill(grouped()), rig.spill(grouped())]
    resolve(ids[1] ?? '')
    assert.deepEqual(
      ids.map((each) => rig.detail(each).status),
      ['resolved', 'resolved', 'resolved'],
    )
    const { state, ended_by, resolved_by } = problemOf(rig)
    assert.deepEqual([state, ended_by, resolved_by], ['resolved', 'person', null])
  }
})

test('pages that end with a resolved incident leave its mark on their incidents too', (t) => {
  const rig = new StoreRig(t, { oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' } })
  const [one, end] = [grouped(), grouped({ status: 'resolved' })]
  rig.commit({ drafts: [one, end] })
  rest(rig)
  assert.deepEqual([rig.detail(one.id).status, rig.detail(one.id).resolved_by], ['resolved', end.id])
  assert.equal(problemOf(rig).ended_by, 'sender')
  const byPerson = rig.spill(grouped())
  rig.store.operator.resolve(byPerson, 'Ada')
  rig.now += 1_000
  rig.spill(grouped({ status: 'resolved' }))
  assert.equal(rig.detail(byPerson).resolved_by, null)
  assert.equal(problemOf(rig).ended_by, 'person')
})

test('a problem outlives its incidents, and can be resolved without them', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'], maxIncidents: 1 })
  rig.spill(grouped())
  for (let n = 0; n < 4; n++) rig.spill()
  rig.finish('chatws')
  rig.store.maintenance.prune(100)
  const { id } = problemOf(rig)
  assert.deepEqual(rig.store.problems.detail(id)?.incidents, [])
  assert.deepEqual(rig.store.problems.resolve(id, 'Ada'), [])
  assert.equal(problemOf(rig).state, 'resolved')
  rig.spill(grouped())
  assert.equal(problemOf(rig).state, 'firing')
})

test('problems that ended 30 days ago are deleted', (t) => {
  const rig = new StoreRig(t)
  rig.spill(grouped({ status: 'resolved' }))
  rig.now += 31 * 24 * HOUR
  rig.store.maintenance.prune(100)
  assert.deepEqual(rig.store.problems.list({ limit: 10 }).problems, [])
})

test('the list has firing problems first, then the latest first, in pages, with filters', (t) => {
  const rig = new StoreRig(t)
  for (const [at, status] of (['firing', 'resolved', 'firing', 'resolved', 'firing'] as const).entries()) {
    rig.now += 1_000
    const sender = at % 3 === 0 ? 'custom' : 'grouped_alerts'
    rig.spill(grouped({ fingerprint: `f${at}`, status, sender, service: `service ${at}`, title: `Title ${at}` }))
  }
  rest(rig)
  const fingerprints = (filter: object) =>
    rig.store.problems.list({ limit: 10, ...filter }).problems.map(({ fingerprint }) => fingerprint)
  assert.deepEqual(fingerprints({}), ['f4', 'f2', 'f0', 'f3', 'f1'])
  const paged: string[] = []
  let cursor: string | null | undefined
  do {
    const page = rig.store.problems.list({ limit: 2, ...(cursor ? { cursor } : undefined) })
    paged.push(...page.problems.map(({ fingerprint }) => fingerprint))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.deepEqual(paged, ['f4', 'f2', 'f0', 'f3', 'f1'])
  assert.deepEqual(fingerprints({ status: 'resolved' }), ['f3', 'f1'])
  assert.deepEqual(fingerprints({ q: 'TITLE 2' }), ['f2'])
  assert.deepEqual(fingerprints({ service: 'service 3' }), ['f3'])
  assert.deepEqual(fingerprints({ acknowledged: true }), [])
  assert.throws(() => fingerprints({ cursor: 'x' }), withCode('bad_parameter'))
})

test('the detail lists the incidents of a problem, newest first, at most 100', (t) => {
  const rig = new StoreRig(t)
  const ids = Array.from({ length: 120 }, () => rig.spill(grouped()))
  const detail = rig.store.problems.detail(problemOf(rig).id)
  assert.deepEqual(
    detail?.incidents.map(({ id }) => id),
    ids.toReversed().slice(0, 100),
  )
  assert.deepEqual(detail?.silence, { fingerprint: 'f' })
})

test('a turn that the disk refuses leaves the problems as they were', (t) => {
  const rig = new StoreRig(t)
  rig.spill(grouped())
  rest(rig)
  const before = rig.store.problems.list({ limit: 10 })
  const drafts = [grouped({ status: 'resolved' }), grouped({ fingerprint: 'g' })]
  rig.failingAtCommit(() => {
    assert.throws(() => rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) }), withCode('storage_down'))
  })
  assert.deepEqual(rig.store.problems.list({ limit: 10 }), before)
  rig.commit({ drafts })
  assert.equal(problemOf(rig).state, 'resolved')
  assert.equal(rig.store.problems.list({ limit: 10 }).firing, 1)
})
