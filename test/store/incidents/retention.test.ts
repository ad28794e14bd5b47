import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, rowsOf } from '../database.ts'
import { draft, START, StoreRig } from '../support.ts'

const sizesIn = (dataDir: string) => {
  const db = openDatabase(dataDir)
  const tables = ['incidents', 'contents', 'dispatches', 'attempts', 'idempotency']
  const counts = tables.map((table) => [table, rowsOf<{ n: number }>(db, `SELECT count(*) AS n FROM ${table}`)[0]?.n])
  db.close()
  return Object.fromEntries(counts)
}

test('the oldest finished incidents beyond the cap are deleted step by step, with all their rows', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'], maxIncidents: 3 })
  const ids = Array.from({ length: 10 }, () => rig.spill())
  for (const dispatch of rig.claim('chatws')) rig.settle(dispatch, { state: 'sent' }, { messageId: 'm' })
  const prune = () => rig.store.maintenance.prune(4)
  assert.deepEqual([prune(), prune(), prune()], [4, 3, 0])
  const { incidents, total } = rig.store.incidents.list({ limit: 100 })
  assert.deepEqual([incidents.map(({ id }) => id), total], [ids.slice(7).reverse(), 3])
  assert.equal(rig.store.incidents.detail(ids[0] ?? ''), undefined)
  rig.store.close()
  assert.deepEqual(sizesIn(rig.options.dataDir), {
    incidents: 3,
    contents: 3,
    dispatches: 3,
    attempts: 3,
    idempotency: 0,
  })
})

test('an unfinished incident is never pruned, however old', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxIncidents: 2 })
  const old = rig.spill()
  const [stuck] = rig.claim('email')
  assert(stuck)
  const waiting = rig.spill()
  rig.claim('email', 1, 1)
  for (let n = 0; n < 6; n++)
    rig.commit({ drafts: [draft()] }, ['email']).dispatches.map((h) => rig.settle(h, { state: 'sent' }))
  assert.equal(rig.store.maintenance.prune(100), 4)
  assert.equal(rig.detail(old).notify_status, 'pending')
  assert.equal(rig.detail(waiting).notify_status, 'pending')
  rig.settle(stuck, { state: 'sent' })
  assert.equal(rig.store.maintenance.prune(100), 1)
  assert.equal(rig.store.incidents.detail(old), undefined)
})

test('numbers of incidents are not used again after pruning', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxIncidents: 0 })
  rig.spill()
  rig.finish('email')
  rig.store.maintenance.prune(10)
  assert.equal(rig.store.status.counters().incidents, 0)
  assert.equal(rig.commit({ drafts: [draft()] }, ['email']).dispatches[0]?.incident, 2)
})

test('a problem has the incidents that were pruned before it was written, also after the next start', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 0 })
  for (const status of ['firing', 'resolved'] as const) rig.spill({ status, fingerprint: 'custom:disk' })
  rig.store.maintenance.prune(10)
  assert.equal(rig.store.status.counters().incidents, 0)
  rig.reopen()
  const { problems } = rig.store.problems.list({ limit: 10 })
  assert.deepEqual(
    problems.map(({ id, state, firing_total, resolved_total }) => [id, state, firing_total, resolved_total]),
    [[1, 'resolved', 1, 1]],
  )
})

test('expired keys are deleted step by step, younger ones stay', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  for (let n = 0; n < 5; n++) rig.commit({ drafts: [draft()], key: `old ${n}` })
  rig.now = START + 23 * 3_600_000
  rig.commit({ drafts: [draft()], key: 'young' })
  rig.now = START + 24 * 3_600_000
  const prune = () => rig.store.maintenance.prune(3)
  assert.deepEqual([prune(), prune(), prune()], [3, 2, 0])
  assert.equal(rig.commit({ drafts: [draft()], key: 'young' }).result.kind, 'duplicate')
})
