import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Bench, draft, START } from '../support.ts'

const rowsOf = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true })
  const tables = ['incidents', 'contents', 'unfiled', 'deliveries', 'attempts', 'threads', 'idempotency']
  const counts = tables.map((table) => [table, db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n])
  db.close()
  return Object.fromEntries(counts)
}

test('the oldest finished incidents beyond the cap are deleted step by step, with all their rows', (t) => {
  const bench = new Bench(t, { channels: ['chatws'], maxIncidents: 3 })
  const ids = Array.from({ length: 10 }, () => bench.spill())
  for (const dispatch of bench.claim('chatws')) bench.settle(dispatch, { state: 'sent' }, { messageId: 'm' })
  const prune = () => bench.store.write(() => bench.store.maintenance.prune(4))
  assert.deepEqual([prune(), prune(), prune()], [4, 3, 0])
  const { incidents, total } = bench.store.incidents.list({ limit: 100 })
  assert.deepEqual([incidents.map(({ id }) => id), total], [ids.slice(7).reverse(), 3])
  assert.equal(bench.store.incidents.detail(ids[0] ?? ''), undefined)
  bench.store.close()
  assert.deepEqual(rowsOf(`${bench.options.dataDir}/tocsin.db`), {
    incidents: 3,
    contents: 3,
    unfiled: 0,
    deliveries: 3,
    attempts: 3,
    threads: 3,
    idempotency: 0,
  })
})

test('an unfinished incident is never pruned, however old', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxIncidents: 2 })
  const old = bench.spill()
  const [stuck] = bench.claim('email')
  assert(stuck)
  const waiting = bench.spill()
  bench.store.write(() => bench.store.outbox.claim('email', { slots: 1, maxBytes: 1 }))
  for (let n = 0; n < 6; n++)
    bench.commit({ drafts: [draft()] }, ['email']).dispatches.map((h) => bench.settle(h, { state: 'sent' }))
  assert.equal(
    bench.store.write(() => bench.store.maintenance.prune(100)),
    4,
  )
  assert.equal(bench.detail(old).notify_status, 'pending')
  assert.equal(bench.detail(waiting).notify_status, 'pending')
  bench.settle(stuck, { state: 'sent' })
  assert.equal(
    bench.store.write(() => bench.store.maintenance.prune(100)),
    1,
  )
  assert.equal(bench.store.incidents.detail(old), undefined)
})

test('numbers of incidents are not used again after pruning', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxIncidents: 0 })
  bench.spill()
  bench.finish('email')
  bench.store.write(() => bench.store.maintenance.prune(10))
  assert.equal(bench.store.status.counters().incidents, 0)
  assert.equal(bench.commit({ drafts: [draft()] }, ['email']).dispatches[0]?.incident, 2)
})

test('expired keys are deleted step by step, younger ones stay', (t) => {
  const bench = new Bench(t, { channels: [] })
  for (let n = 0; n < 5; n++) bench.commit({ drafts: [draft()], key: `old ${n}` })
  bench.now = START + 23 * 3_600_000
  bench.commit({ drafts: [draft()], key: 'young' })
  bench.now = START + 24 * 3_600_000
  const prune = () => bench.store.write(() => bench.store.maintenance.prune(3))
  assert.deepEqual([prune(), prune(), prune()], [3, 2, 0])
  assert.equal(bench.commit({ drafts: [draft()], key: 'young' }).result.kind, 'duplicate')
})
