import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreRig } from '../support.ts'
import { answer, press, tell } from './rig.ts'

test('a problem whose incidents are deleted has no message to edit', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'], maxIncidents: 3 })
  tell(rig)
  for (let n = 0; n < 30; n++) tell(rig, { fingerprint: `custom:other ${n}` })
  rig.store.maintenance.prune(100)
  rig.spill({ fingerprint: 'custom:db', status: 'resolved' })
  for (const dispatch of rig.claim('chatws')) rig.settle(dispatch, { state: 'sent' })
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Infinity)
  rig.reopen()
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Infinity)
})

test('edits go with the incidents of their messages, and nothing is due for them any more', (t) => {
  const rig = new StoreRig(t, { answering: ['chatws'], maxIncidents: 0 })
  const id = tell(rig)
  tell(rig)
  answer(rig.store, press(id, 'resolve', { copy: { messageId: rig.detail(id).deliveries[0]?.message_id ?? '' } }))
  assert.equal(rig.store.outbox.nextDueAt('chatws'), rig.now)
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Infinity)
})

test('a press edits one message on a phone, where each edit is a notification', (t) => {
  const rig = new StoreRig(t, { channels: ['ntfy'], answering: ['ntfy'] })
  const ids = [1, 2, 3].map((n) => {
    rig.now += 1_000
    const id = rig.spill({ fingerprint: 'custom:db' })
    for (const dispatch of rig.claim('ntfy')) rig.settle(dispatch, { state: 'sent' }, { messageId: `t${n}` })
    return id
  })
  answer(rig.store, press(ids[2] ?? '', 'acknowledge', { via: 'ntfy' }))
  assert.deepEqual(rig.store.status.state().answerEdits, [{ channel: 'ntfy', waiting: 1 }])
  assert.deepEqual(
    rig.claim('ntfy').map(({ edits }) => edits),
    ['t3'],
  )
})
