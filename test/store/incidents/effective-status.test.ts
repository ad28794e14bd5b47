import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/store.ts'
import { Bench } from '../support.ts'

for (const indexed of [0, 10]) {
  test(`an incident that an operator resolved is listed as resolved, ${indexed > 0 ? 'in' : 'outside'} the index`, (t) => {
    const bench = new Bench(t)
    const [open, closed] = [bench.spill(), bench.spill()]
    const reported = bench.spill({ status: 'resolved' })
    bench.store.maintenance.index(indexed)
    assert.deepEqual(idsOf(bench, 'firing'), [closed, open])

    bench.store.write(() => bench.store.operator.resolve(closed, 'ada'))
    assert.deepEqual(idsOf(bench, 'firing'), [open])
    assert.deepEqual(idsOf(bench, 'resolved'), [reported, closed])
    const { status, reported_status } = bench.detail(closed)
    assert.deepEqual([status, reported_status], ['resolved', 'firing'])
    const [page] = bench.store.incidents.list({ limit: 1, q: closed }).incidents
    assert.deepEqual([page?.status, page?.reported_status], ['resolved', 'firing'])
  })
}

test('an incident whose sender reports the end of a problem that pages is resolved too', (t) => {
  const bench = new Bench(t, { oncall: { enable: true, waitMs: 60_000, provider: 'webhook' } })
  const firing = bench.spill({ fingerprint: 'one' })
  bench.store.maintenance.index(10)
  const end = bench.spill({ fingerprint: 'one', status: 'resolved' })
  assert.deepEqual(idsOf(bench, 'resolved'), [end, firing])
  assert.deepEqual(idsOf(bench, 'firing'), [])
})

test('incidents that an earlier version indexed as firing after an operator resolved them are indexed again', (t) => {
  const bench = new Bench(t)
  const [before, closed, after] = [bench.spill(), bench.spill(), bench.spill()]
  bench.store.maintenance.index(10)
  bench.store.close()
  const db = openDatabase(bench.options.dataDir)
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  db.prepare('UPDATE incidents SET resolved_at = 1 WHERE id = ?').run(closed)
  db.exec(`PRAGMA user_version = ${version - 1}`)
  db.close()

  bench.store = openStore(bench.options)
  assert.deepEqual([idsOf(bench, 'firing'), idsOf(bench, 'resolved')], [[after, before], [closed]])
  assert.equal(bench.store.maintenance.index(10), 2)
  assert.deepEqual([idsOf(bench, 'firing'), idsOf(bench, 'resolved')], [[after, before], [closed]])
})

function idsOf({ store }: Bench, status: 'firing' | 'resolved'): string[] {
  return store.incidents.list({ limit: 50, status }).incidents.map(({ id }) => id)
}
