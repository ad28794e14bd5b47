import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import { openDatabase, rowsOf } from '../database.ts'
import { claimPages, paging, settle } from '../paging.ts'
import { draft, entriesFor, type StoreRig } from '../support.ts'

const MINUTE = 60_000
const DAY = 24 * 3_600_000

/** Commits an incident that is told by mail and paged; returns its id. */
function paged(rig: StoreRig, fingerprint: string, routingKey?: string): string {
  const one = draft({ fingerprint })
  rig.commit({ drafts: [one], ...(routingKey && { overrides: { pagerdutyRoutingKey: routingKey } }) })
  rig.finish('email')
  rig.now += MINUTE
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  return one.id
}

/** Finishes other incidents, and deletes all that retention may delete. */
function flood(rig: StoreRig, incidents = 40): void {
  const drafts = Array.from({ length: incidents }, () => draft({ source: 'agent', severity: 'low' }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  rig.finish('email')
  while (rig.store.maintenance.prune(256) > 0);
}

function commit(rig: StoreRig, changes: Partial<Draft>): string {
  const one = draft(changes)
  rig.commit({ drafts: [one] })
  rig.finish('email')
  return one.id
}

const signals = (rig: StoreRig) => claimPages(rig).map(({ signal, fingerprint, id }) => [signal, fingerprint, id])

for (const isReopened of [false, true])
  test(`an open page outlives newer incidents${isReopened ? ' and a restart' : ''}: its end reaches the provider, then it is deleted`, (t) => {
    const rig = paging(t, {})
    rig.reopen({ maxIncidents: 20 })
    const id = paged(rig, 'db')
    if (isReopened) rig.reopen({ maxIncidents: 20 })
    flood(rig)
    assert.equal(rig.store.status.counters().incidents, 21)
    assert.equal(rig.detail(id).oncall?.state, 'paged')
    commit(rig, { fingerprint: 'db', status: 'resolved' })
    const [page] = claimPages(rig)
    assert.deepEqual([page?.signal, page?.fingerprint, page?.id], ['resolve', 'db', id])
    flood(rig)
    assert.equal(rig.detail(id).oncall?.state, 'resolved')
    if (page !== undefined) settle(rig, page, { state: 'sent' })
    flood(rig)
    assert.equal(rig.store.incidents.detail(id), undefined)
    assert.equal(rig.store.status.counters().incidents, 20)
  })

test('an open page is acknowledged after newer incidents, and stays open until its end', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  const id = paged(rig, 'db')
  flood(rig)
  assert.equal(rig.store.operator.acknowledge(id, 'Ada').kind, 'acknowledged')
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  flood(rig)
  assert.equal(rig.detail(id).oncall?.state, 'acknowledged')
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  assert.deepEqual(signals(rig), [['resolve', 'db', id]])
})

test('a repeat joins an open page after newer incidents', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20, repeats: { mode: 'fold', remindMs: 4 * 60 * MINUTE } })
  paged(rig, 'db')
  flood(rig)
  const repeat = commit(rig, { fingerprint: 'db' })
  assert.equal(rig.detail(repeat).oncall?.state, 'joined')
  flood(rig)
  const again = commit(rig, { fingerprint: 'db' })
  assert.equal(rig.detail(again).oncall?.state, 'joined')
  rig.now += MINUTE
  assert.deepEqual(signals(rig), [])
})

test('of the open pages of a fingerprint the newest of each target outlives newer incidents', (t) => {
  const rig = paging(t, { provider: 'pagerduty' })
  rig.reopen({ maxIncidents: 20 })
  const ids = [paged(rig, 'db'), paged(rig, 'db', 'payments'), paged(rig, 'db'), paged(rig, 'db', 'payments')]
  // Who acknowledges an older one keeps it no longer.
  rig.store.operator.acknowledge(ids[0] ?? '', 'Ada')
  for (const page of claimPages(rig)) settle(rig, page, { state: 'sent' })
  flood(rig)
  assert.deepEqual(
    ids.map((id) => rig.store.incidents.detail(id)?.oncall?.state),
    [undefined, undefined, 'paged', 'paged'],
  )
  commit(rig, { fingerprint: 'db', status: 'resolved' })
  assert.deepEqual(
    claimPages(rig).map(({ signal, target }) => [signal, target]),
    [
      ['resolve', undefined],
      ['resolve', 'payments'],
    ],
  )
})

test('a page that failed keeps its incident only when the provider may have it', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  const ids = ['lost', 'refused'].map((fingerprint) => {
    const id = commit(rig, { fingerprint })
    rig.now += MINUTE
    const [page] = claimPages(rig)
    if (page) settle(rig, page, { state: 'dead', reason: 'no' }, { mayDuplicate: fingerprint === 'lost' })
    return id
  })
  flood(rig)
  assert.deepEqual(
    ids.map((id) => rig.store.incidents.detail(id)?.oncall?.state),
    ['failed', undefined],
  )
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

test('an open page is kept for 30 days', (t) => {
  const rig = paging(t)
  rig.reopen({ maxIncidents: 20 })
  const id = paged(rig, 'db')
  rig.now += 29 * DAY
  flood(rig)
  assert.equal(rig.detail(id).oncall?.state, 'paged')
  assert.equal(rig.store.status.state().oncall.forgotten, 0)
  rig.now += DAY
  flood(rig)
  assert.equal(rig.store.incidents.detail(id), undefined)
  assert.equal(rig.store.status.state().oncall.forgotten, 1)
})

test('of more than 10,000 open pages the oldest are given up', (t) => {
  const rig = paging(t)
  const drafts = Array.from({ length: 10_600 }, () => draft({ source: 'agent', severity: 'low' }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec('UPDATE incidents SET oncall_open = 2, notify_status = 1')
  db.close()
  rig.reopen({ maxIncidents: 20 })
  const prune = () => rig.store.maintenance.prune(2_000)
  assert.deepEqual([prune(), prune(), prune()], [492, 88, 0])
  assert.equal(rig.store.status.state().oncall.forgotten, 600)
  rig.store.close()
  const left = openDatabase(rig.options.dataDir)
  const [kept] = rowsOf<object>(left, 'SELECT min(seq) AS first, count(*) AS n FROM incidents WHERE oncall_open = 2')
  assert.deepEqual({ ...kept }, { first: 601, n: 10_000 })
  left.close()
})
