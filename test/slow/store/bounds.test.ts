import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../store/database.ts'
import { SilenceRig, silenceOf } from '../../store/noise/silences/rig.ts'
import { POLICY, paging } from '../../store/paging.ts'
import { draft, StoreRig } from '../../store/support.ts'

test('a problem of which a silence holds something outlives the bound of problems', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk', { sender: 'cloud_alarm' })
  const others = Array.from({ length: 50_100 }, (_, nth) => draft({ fingerprint: `${nth}`, sender: 'cloud_alarm' }))
  for (let at = 0; at < others.length; at += 1_670) rig.commit({ drafts: others.slice(at, at + 1_670) })
  const stored = () => rig.store.problems.list({ limit: 1, q: 'disk' }).problems.map(({ fingerprint }) => fingerprint)
  assert.deepEqual(stored(), ['disk'])
  rig.resolved('disk', { sender: 'cloud_alarm' })
  assert.equal(rig.store.silences.state().held, 0)
})

test('of more than 50,000 pages that nobody ends the oldest are forgotten, and no timer', (t) => {
  const rig = paging(t)
  const waiting = rig.spill({ fingerprint: 'web' })
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50300)
    INSERT INTO pages (problem, target, heard, provider, phase, incident, stands_until, level)
    SELECT 100000 + i, '', 2, 'webhook', 2, 100000 + i, 0, 2 FROM n`)
  db.close()
  rig.reopen()
  for (let runs = 0; runs < 3; runs++) rig.store.maintenance.prune(256)
  assert.equal(rig.store.status.state().oncall.forgotten, 300)
  rig.reopen()
  rig.store.maintenance.prune(256)
  assert.equal(rig.store.status.state().oncall.forgotten, 0)
  assert.equal(rig.detail(waiting).oncall?.state, 'armed')
})

test('10,000 timers cost less than 50 MB', (t) => {
  const rig = new StoreRig(t, { channels: [], maxBacklog: 1_000_000, oncall: POLICY })
  const before = process.memoryUsage().rss
  for (let n = 0; n < 100; n++) rig.commit({ drafts: Array.from({ length: 100 }, () => draft()) })
  const costs = process.memoryUsage().rss - before
  assert.equal(rig.store.status.state().oncall.armed, 10_000)
  assert.ok(costs < 50 * 2 ** 20, `${Math.round(costs / 2 ** 20)} MB`)
})
