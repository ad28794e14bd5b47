import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import { claimPages, POLICY, paging, settle } from '../paging.ts'
import { draft, entriesFor, type StoreRig } from '../support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const REPEATS = { mode: 'fold', remindMs: 4 * HOUR } as const

/** Commits an incident that is told by mail and paged; returns its id. */
function paged(rig: StoreRig, fingerprint: string, routingKey?: string): string {
  const id = commit(rig, { fingerprint }, routingKey)
  rig.now += MINUTE
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  return id
}

/** Finishes other incidents, and deletes all that retention may delete. */
function flood(rig: StoreRig, incidents = 40): void {
  const drafts = Array.from({ length: incidents }, () => draft({ source: 'agent', severity: 'low' }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  rig.finish('email')
  while (rig.store.maintenance.prune(256) > 0);
}

function commit(rig: StoreRig, changes: Partial<Draft>, routingKey?: string): string {
  const one = draft({ sender: 'error_tracker', severity: 'warning', ...changes })
  rig.commit({ drafts: [one], ...(routingKey && { overrides: { pagerdutyRoutingKey: routingKey } }) })
  rig.finish('email')
  return one.id
}

const signals = (rig: StoreRig) =>
  claimPages(rig).map(({ signal, fingerprint, target }) => [signal, fingerprint, target])
const problemOf = (rig: StoreRig, fingerprint: string) =>
  rig.store.problems.list({ limit: 500 }).problems.find((problem) => problem.fingerprint === fingerprint)?.id ?? 0

for (const isReopened of [false, true])
  test(`a page outlives its incident${isReopened ? ' and a restart' : ''}: the end reaches the provider with the words of the problem`, (t) => {
    const rig = paging(t)
    rig.reopen({ maxIncidents: 20 })
    const id = paged(rig, 'db')
    flood(rig)
    assert.equal(rig.store.incidents.detail(id), undefined)
    if (isReopened) rig.reopen({ maxIncidents: 20 })
    const end = commit(rig, { fingerprint: 'db', status: 'resolved', title: 'disk has room again' })
    const [page] = claimPages(rig)
    assert.deepEqual(
      [page?.signal, page?.fingerprint, page?.title, page?.id, page?.status],
      ['resolve', 'db', 'disk has room again', end, 'resolved'],
    )
    if (page !== undefined) settle(rig, page, { state: 'sent' })
    assert.deepEqual(signals(rig), [])
    rig.reopen()
    const again = paged(rig, 'db')
    assert.equal(rig.detail(again).oncall?.state, 'paged', 'and the next page is another one')
  })

test('the end of a page that retention has deleted goes out once, after a crash flagged as a possible duplicate', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  paged(rig, 'db')
  flood(rig)
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  flood(rig)
  assert.deepEqual(signals(rig), [['resolve', 'db', undefined]])
  rig.reopen({ maxIncidents: 20 })
  const [again] = claimPages(rig)
  assert(again)
  settle(rig, again, { state: 'sent' })
  rig.reopen()
  assert.deepEqual([signals(rig), rig.store.journal.progress().backlog], [[], 0])
})

test('a page is acknowledged by any incident of its problem, and by the link of one that is deleted', (t) => {
  for (const how of ['newer', 'link'] as const) {
    const rig = paging(t)
    rig.reopen({ maxIncidents: 20, repeats: REPEATS })
    const id = paged(rig, 'db')
    const problem = problemOf(rig, 'db')
    flood(rig)
    const known = how === 'newer' ? commit(rig, { fingerprint: 'db' }) : id
    assert.equal(rig.store.operator.acknowledge(known, 'Ada', problem).kind, 'acknowledged')
    const [page] = claimPages(rig)
    assert.deepEqual([page?.signal, page?.by], ['acknowledge', 'Ada'])
    if (page) settle(rig, page, { state: 'sent' })
    assert.equal(rig.store.operator.acknowledge(known, 'Bob', problem).kind, 'already')
    flood(rig)
    commit(rig, { fingerprint: 'db', status: 'resolved' })
    assert.deepEqual(signals(rig), [['resolve', 'db', undefined]])
    assert.equal(rig.store.operator.acknowledge(id, 'Bob', problem).kind, 'unknown', 'it is over')
    assert.equal(rig.store.operator.acknowledge(id, 'Bob').kind, 'unknown')
  }
})

test('a repeat joins a page whose incident is deleted, for four hours of a clock that is set back', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20, repeats: REPEATS })
  paged(rig, 'db')
  const state = (changes: Partial<Draft> = {}) =>
    rig.detail(commit(rig, { fingerprint: 'db', ...changes })).oncall?.state
  assert.equal(state(), 'joined')
  flood(rig)
  assert.equal(state(), 'joined')
  rig.now += 3 * HOUR
  rig.now -= 2 * HOUR
  rig.turn({ clockJumpMs: -2 * HOUR })
  assert.equal(state(), 'joined')
  flood(rig)
  rig.now += 2 * HOUR
  assert.equal(state(), 'armed', 'more than four hours have passed')
  assert.equal(state({ severity: 'critical' }), 'armed')
})

test('of each destination a problem has one page: each gets the end of the problem', (t) => {
  const rig = paging(t, { provider: 'pagerduty' })
  rig.reopen({ maxIncidents: 20 })
  const ids = [paged(rig, 'db'), paged(rig, 'db', 'payments'), paged(rig, 'db'), paged(rig, 'db', 'payments')]
  rig.store.operator.acknowledge(ids[0] ?? '', 'Ada')
  assert.deepEqual(signals(rig), [
    ['acknowledge', 'db', undefined],
    ['acknowledge', 'db', 'payments'],
  ])
  rig.turn({ sendersLost: true })
  flood(rig)
  assert.deepEqual(
    ids.map((id) => rig.store.incidents.detail(id)),
    ids.map(() => undefined),
  )
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  assert.deepEqual(signals(rig), [
    ['resolve', 'db', undefined],
    ['resolve', 'db', 'payments'],
  ])
})

test('a page that the provider may have gets its end, one that it refused does not', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  for (const fingerprint of ['lost', 'refused']) {
    commit(rig, { fingerprint })
    rig.now += MINUTE
    const [page] = claimPages(rig)
    if (page) settle(rig, page, { state: 'dead', reason: 'no' }, { mayDuplicate: fingerprint === 'lost' })
  }
  flood(rig)
  for (const fingerprint of ['lost', 'refused']) commit(rig, { fingerprint, status: 'resolved' })
  assert.deepEqual(signals(rig), [['resolve', 'lost', undefined]])
})

test('another provider knows nothing of a page, and gets that of a timer', (t) => {
  const rig = paging(t)
  paged(rig, 'db')
  commit(rig, { fingerprint: 'web' })
  rig.reopen({ oncall: { ...POLICY, provider: 'pagerduty' } })
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  rig.now += MINUTE
  assert.deepEqual(signals(rig), [['trigger', 'web', undefined]])
})

test('another provider that pages nothing by itself knows nothing of a page with a timer beside it', (t) => {
  const rig = paging(t, { waitMs: 0 })
  rig.spill({ fingerprint: 'f', severity: 'warning' })
  settle(rig, claimPages(rig)[0] as Page, { state: 'sent' })
  rig.spill({ fingerprint: 'f' })
  rig.reopen({ oncall: { enable: false, waitMs: 0, provider: 'pagerduty' } })
  rig.spill({ fingerprint: 'f', status: 'resolved' })
  assert.deepEqual(claimPages(rig), [])
})

test('on-call that is off for a while does not lose what the provider has', (t) => {
  const rig = paging(t)
  paged(rig, 'db')
  const waiting = commit(rig, { fingerprint: 'web' })
  rig.reopen({ oncall: undefined as never })
  assert.equal(rig.detail(waiting).oncall?.state, 'cancelled')
  rig.reopen({ oncall: POLICY })
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  rig.now += MINUTE
  assert.deepEqual(signals(rig), [['resolve', 'db', undefined]])
})

test('an end that comes while on-call is off reaches the provider when it is on again, however often the service starts between', (t) => {
  const rig = paging(t)
  const id = paged(rig, 'db')
  rig.reopen({ oncall: undefined as never })
  rig.store.operator.acknowledge(id, 'Ada')
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  for (let starts = 0; starts < 3; starts++) {
    rig.reopen({ oncall: undefined as never })
    rig.turn({})
  }
  rig.reopen({ oncall: POLICY })
  const [end, ...others] = claimPages(rig)
  assert(end)
  assert.deepEqual([end.signal, end.fingerprint, others], ['resolve', 'db', []])
  settle(rig, end, { state: 'sent' })
  rig.reopen({ oncall: POLICY })
  assert.deepEqual(signals(rig), [])
})

test('a louder incident pages beside a page that a person took, and one end resolves both', (t) => {
  const rig = paging(t)
  rig.reopen({ repeats: REPEATS })
  const first = paged(rig, 'db')
  rig.store.operator.acknowledge(first, 'Ada')
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  const louder = commit(rig, { fingerprint: 'db', severity: 'critical' })
  const same = commit(rig, { fingerprint: 'db', severity: 'critical' })
  const states = () => [first, louder, same].map((id) => rig.detail(id).oncall?.state)
  assert.deepEqual(states(), ['acknowledged', 'armed', 'joined'])
  rig.now += MINUTE
  const [page] = claimPages(rig)
  assert.deepEqual([page?.signal, page?.id], ['trigger', louder])
  if (page) settle(rig, page, { state: 'sent' })
  assert.deepEqual(states(), ['acknowledged', 'paged', 'joined'])
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  rig.now += 200
  rig.turn({})
  assert.deepEqual(signals(rig), [['resolve', 'db', undefined]])
  assert.deepEqual(states(), ['resolved', 'resolved', 'resolved'])
})

test('a turn that fails keeps nothing, and counts nothing', (t) => {
  const rig = paging(t)
  const id = commit(rig, { fingerprint: 'db' })
  rig.now += MINUTE
  const [page] = claimPages(rig)
  assert(page)
  const before = rig.store.status.counters()
  rig.failingAtCommit(() => assert.throws(() => settle(rig, page, { state: 'sent' })))
  assert.deepEqual(rig.store.status.counters(), before)
  settle(rig, page, { state: 'sent' })
  assert.equal(rig.detail(id).oncall?.state, 'paged')
  const { finishedIncidents } = rig.store.status.counters()
  rig.reopen()
  assert.equal(rig.store.status.counters().finishedIncidents, finishedIncidents)
})

test('a page of a problem that ended by quiet is kept for 30 days', (t) => {
  const rig = paging(t)
  const forgotten: unknown[] = []
  rig.reopen({ maxIncidents: 20, pageForgotten: ({ problem }) => void forgotten.push(problem) })
  paged(rig, 'db')
  const problem = problemOf(rig, 'db')
  rig.now += 29 * DAY
  rig.turn({})
  flood(rig)
  assert.equal(rig.store.status.state().oncall.forgotten, 0)
  rig.now += 2 * DAY
  flood(rig)
  assert.deepEqual([rig.store.status.state().oncall.forgotten, forgotten], [1, [problem]])
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  assert.deepEqual(signals(rig), [])
})
