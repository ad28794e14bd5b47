import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import { draft, StoreRig } from '../support.ts'

const alert = (changes: Partial<Draft> = {}) =>
  draft({ sender: 'opsgenie_alert', fingerprint: 'opsgenie_alert:i:a', title: 'Queue grows', ...changes })
const FINGERPRINT = { fingerprint: 'opsgenie_alert:i:a' }

test('a problem is found by fingerprint, number and any of its incidents, as of the latest one', (t) => {
  const rig = new StoreRig(t)
  const { problems } = rig.store
  const first = rig.spill(alert())
  const second = rig.spill(alert({ title: 'Queue grows further', severity: 'p1' }))
  const found = problems.named(FINGERPRINT)
  assert.deepEqual(
    [found?.title, found?.severity, found?.state, found?.lastId],
    ['Queue grows further', 'p1', 'firing', second],
  )
  for (const name of [{ incident: first }, { incident: second }, { number: found?.id ?? 0 }])
    assert.deepEqual(problems.named(name), found)
  rig.spill(alert({ status: 'resolved' }))
  assert.equal(problems.named({ incident: first })?.state, 'resolved')
  for (const name of [{ fingerprint: 'opsgenie_alert:i:b' }, { number: 99 }, { incident: 'no id' }])
    assert.equal(problems.named(name), undefined)
})

test('the first incident of a problem names it after retention has deleted the incident', (t) => {
  const rig = new StoreRig(t, { maxIncidents: 1 })
  const first = rig.spill(alert({ id: incidentId('0195c1a2-7e40-7000-8000-', 1) }))
  for (const dispatch of rig.claimAll().dispatches) rig.settle(dispatch, { state: 'sent' })
  for (let at = 0; at < 3; at++) {
    rig.spill(draft({ fingerprint: `other ${at}` }))
    for (const dispatch of rig.claimAll().dispatches) rig.settle(dispatch, { state: 'sent' })
  }
  rig.now += 1_000
  rig.turn({})
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.incidents.record(first), undefined)
  assert.equal(rig.store.problems.named({ incident: first })?.fingerprint, FINGERPRINT.fingerprint)
})

test('a problem is acknowledged while it fires, and not after it', (t) => {
  const rig = new StoreRig(t)
  const { problems } = rig.store
  const id = rig.spill(alert())
  const number = problems.named(FINGERPRINT)?.id ?? 0
  assert.notDeepEqual(problems.acknowledgeFiring(number, 'Ada'), [])
  assert.deepEqual(problems.acknowledgeFiring(number, 'Bob'), [])
  assert.equal(rig.detail(id).acked_by, 'Ada')
  const end = rig.spill(alert({ status: 'resolved' }))
  assert.deepEqual(problems.acknowledgeFiring(number, 'Bob'), [])
  assert.equal(rig.detail(end).acked_by, null)
})

test('a note goes to the threads of the latest incident, else of the one that began the problem; a long text is kept', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'], threadedChannels: ['chatws'] })
  const note = (text: string) => rig.store.problems.note({ id: 1, by: 'Ada', text })
  rig.spill(alert())
  assert.equal(note('before any message'), 0)
  for (const dispatch of rig.claimAll(['chatws']).dispatches)
    rig.settle(dispatch, { state: 'sent' }, { messageId: 'm-1' })
  rig.spill(alert())
  const text = 'x'.repeat(25_000)
  assert.equal(note(text), 1)
  const [told] = rig.claimAll(['chatws']).dispatches.flatMap((each) => (each.kind === 'follow-up' ? [each] : []))
  assert.deepEqual(
    [told?.inReplyTo, told?.title, told?.notice],
    [
      'm-1',
      '📝 Noted by Ada: Queue grows',
      { kind: 'follow-up', word: 'noted', by: 'Ada', title: 'Queue grows', text },
    ],
  )
  assert.equal(rig.store.problems.note({ id: 99, by: 'Ada', text }), 0)
})
