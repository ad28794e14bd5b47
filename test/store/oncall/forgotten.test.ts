import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { answer, press } from '../answers/rig.ts'
import { openDatabase } from '../database.ts'
import { draft } from '../support.ts'
import { MINUTE, OncallRig, rulesOf } from './rig.ts'

const decide: StoreOptions['decide'] = ({ status, service }) => ({
  destinations: [],
  priority: 'normal',
  rules: [],
  ...(status === 'firing' && service === 'checkout' && { page: { waitMs: 0, escalation: 'office' } }),
})

test('where only a rule pages, a run goes on after a restart when retention has deleted its incident', (t) => {
  const rig = new OncallRig(t, rulesOf({}, { enable: false }), {
    ...{ decide, maxIncidents: 10 },
    oncall: { enable: false, waitMs: 0, provider: 'webhook' },
  })
  rig.fire('disk')
  assert.deepEqual(rig.told(), ['person:ada:1: disk'])
  rig.commit({ drafts: Array.from({ length: 20 }, () => draft({ service: 'other' })) })
  rig.store.maintenance.prune(1_000)
  rig.reopen()
  assert.deepEqual(rig.pass(8), ['person:ada:2: disk', 'person:ben:1: disk'])
})

test('a person is reached when requests have named all destinations that may be known', (t) => {
  const rig = new OncallRig(t)
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
    INSERT INTO destinations (code, channel, target) SELECT 40 + n, 0, 'chat ' || n FROM numbers`)
  db.close()
  rig.reopen()
  rig.fire('disk')
  assert.deepEqual(rig.told(), ['person:ada:1: disk'])
})

test('an incident that was acknowledged is acknowledged again when the time of that is over', (t) => {
  const rig = new OncallRig(t, rulesOf({ ackForMs: 20 * MINUTE }))
  const disk = draft({ fingerprint: 'custom:disk', title: 'disk' })
  rig.commit({ drafts: [disk] })
  rig.turn({})
  rig.told()
  assert.equal(rig.store.operator.acknowledgeByLink(disk.id, 'Ada Lovelace').kind, 'acknowledged')
  assert.equal(rig.store.operator.acknowledgeByLink(disk.id, 'Ada Lovelace').kind, 'already')
  rig.pass(21)
  assert.equal(rig.runs()[0]?.phase, 'asking')
  assert.equal(rig.store.operator.acknowledgeByLink(disk.id, 'Ada Lovelace').kind, 'acknowledged')
  assert.equal(rig.runs()[0]?.phase, 'acknowledged')
})

test('a press of the button acknowledges again, too, and says so', (t) => {
  const rig = new OncallRig(t, rulesOf({ ackForMs: 20 * MINUTE }))
  const disk = draft({ fingerprint: 'custom:disk', title: 'disk' })
  rig.commit({ drafts: [disk] })
  rig.turn({})
  rig.told()
  const pressed = (key: string) => answer(rig.store, press(disk.id, 'acknowledge', { key })).result
  assert.deepEqual([pressed('1'), pressed('2')], ['done', 'already'])
  rig.pass(21)
  assert.deepEqual([pressed('3'), pressed('4')], ['done', 'already'])
  assert.equal(rig.runs()[0]?.phase, 'acknowledged')
})
