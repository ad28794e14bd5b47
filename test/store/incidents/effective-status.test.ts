import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreRig } from '../support.ts'

for (const indexed of [0, 10]) {
  test(`an incident that an operator resolved is listed as resolved, ${indexed > 0 ? 'in' : 'outside'} the index`, (t) => {
    const rig = new StoreRig(t)
    const [open, closed] = [rig.spill(), rig.spill()]
    const reported = rig.spill({ status: 'resolved' })
    rig.store.maintenance.index(indexed)
    assert.deepEqual(idsOf(rig, 'firing'), [closed, open])

    rig.store.operator.resolve(closed, 'ada')
    assert.deepEqual(idsOf(rig, 'firing'), [open])
    assert.deepEqual(idsOf(rig, 'resolved'), [reported, closed])
    const { status, reported_status } = rig.detail(closed)
    assert.deepEqual([status, reported_status], ['resolved', 'firing'])
    const [page] = rig.store.incidents.list({ limit: 1, q: closed }).incidents
    assert.deepEqual([page?.status, page?.reported_status], ['resolved', 'firing'])
  })
}

test('an incident whose sender reports the end of a problem that pages is resolved too', (t) => {
  const rig = new StoreRig(t, { oncall: { enable: true, waitMs: 60_000, provider: 'webhook' } })
  const firing = rig.spill({ fingerprint: 'one' })
  rig.store.maintenance.index(10)
  const end = rig.spill({ fingerprint: 'one', status: 'resolved' })
  assert.deepEqual(idsOf(rig, 'firing'), [])
  assert.equal(rig.store.maintenance.index(10), 1)
  assert.equal(rig.store.maintenance.index(10), 1)
  assert.deepEqual([idsOf(rig, 'firing'), idsOf(rig, 'resolved')], [[], [end, firing]])
})

function idsOf({ store }: StoreRig, status: 'firing' | 'resolved'): string[] {
  return store.incidents.list({ limit: 50, status }).incidents.map(({ id }) => id)
}
