import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draft, StoreRig } from '../support.ts'
import { ANSWERING, answer, edited, pressOf, tell } from './rig.ts'

const MINUTE = 60_000
const DB = { fingerprint: 'custom:db', title: 'Disk full' }

/** A problem that a destination was told of which retention has deleted, and that still fires. */
function forgotten(rig: StoreRig): void {
  const to = (chatws: string, changes = {}) => {
    const { dispatches } = rig.commit({ drafts: [draft(changes)], overrides: { targets: { chatws } } }, [
      'chatws',
      'email',
    ])
    for (const each of dispatches)
      rig.settle(each, { state: 'sent' }, { messageId: `${each.destination}/${each.incident}` })
  }
  to('ops', DB)
  to('night')
  for (let left = 600; left > 0; left--) tell(rig, { fingerprint: `custom:other ${left % 10}` })
  rig.store.maintenance.prune(1_000)
}

test('a person answers, and the sender ends, a problem that a destination knows which was deleted', (t) => {
  const rig = new StoreRig(t, { ...ANSWERING, maxIncidents: 10 })
  forgotten(rig)
  const id = tell(rig, DB)
  assert.equal(answer(rig.store, pressOf(rig, id)).result, 'done')
  assert.equal(edited(rig).length, 1)
  const over = draft({ ...DB, status: 'resolved' })
  rig.commit({ drafts: [over] })
  assert.ok(rig.store.incidents.detail(over.id))
})

test('quiet ends a problem that a destination knows which was deleted', (t) => {
  const rig = new StoreRig(t, { ...ANSWERING, maxIncidents: 10 })
  forgotten(rig)
  rig.now += 31 * MINUTE
  rig.turn({})
  assert.equal(rig.store.problems.list({ limit: 100 }).problems.filter(({ state }) => state === 'firing').length, 0)
})
