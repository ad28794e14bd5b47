import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, rowsOf } from '../database.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from '../noise/silences/rig.ts'
import { draft, START, StoreRig } from '../support.ts'

const CHAT = { channels: ['chatws'], threadedChannels: ['chatws'] } as const

function told(rig: StoreRig, fingerprint: string, messageId: string): void {
  const [dispatch] = rig.commit({ drafts: [draft({ fingerprint })] }, ['chatws']).dispatches
  assert(dispatch)
  rig.settle(dispatch, { state: 'sent' }, { messageId })
}

const resolved = (rig: StoreRig, fingerprint: string) =>
  rig.commit({ drafts: [draft({ fingerprint, status: 'resolved' })] }, ['chatws']).dispatches[0]

test('a resolution replies to the last firing message when retention has deleted all incidents of its problem', (t) => {
  const rig = new StoreRig(t, { ...CHAT, maxIncidents: 0 })
  told(rig, 'disk', 'first')
  told(rig, 'disk', 'second')
  rig.store.maintenance.prune(10)
  assert.equal(rig.store.status.counters().incidents, 0)
  rig.reopen()
  assert.partialDeepStrictEqual(resolved(rig, 'disk'), { inReplyTo: 'second' })
  assert.equal(Object.hasOwn(resolved(rig, 'another') ?? {}, 'inReplyTo'), false)
})

test('a message that is settled in the turn of its resolution is replied to', (t) => {
  const rig = new StoreRig(t, CHAT)
  told(rig, 'disk', 'first')
  assert.partialDeepStrictEqual(resolved(rig, 'disk'), { inReplyTo: 'first' })
  told(rig, 'disk', 'second')
  assert.partialDeepStrictEqual(resolved(rig, 'disk'), { inReplyTo: 'second' })
})

test('what destinations know of a problem goes with it', (t) => {
  const rig = new StoreRig(t, { ...CHAT, maxIncidents: 0 })
  told(rig, 'disk', 'first')
  rig.finish('chatws')
  resolved(rig, 'disk')
  rig.now += 31 * 24 * 3_600_000
  told(rig, 'another', 'second')
  rig.store.maintenance.prune(10)
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  t.after(() => db.close())
  assert.deepEqual(
    rowsOf<{ message_id: string }>(db, 'SELECT message_id FROM tellings').map((row) => row.message_id),
    ['second'],
  )
})

test('what a silence holds of an incident that retention has deleted is forgotten at its end', (t) => {
  const silence = silenceOf({ startsAt: START + 2 * MINUTE })
  const rig = new SilenceRig(t, [silence], { maxIncidents: 0 })
  const id = rig.incident('disk', { sender: 'cloud_alarm' })
  rig.deliver()
  rig.at(2 * MINUTE)
  assert.equal(rig.detail(id).oncall?.state, 'held')
  rig.store.operator.acknowledge(id, 'Ada')
  rig.deliver()
  rig.store.maintenance.prune(10)
  assert.equal(rig.store.incidents.detail(id), undefined)
  rig.at(2 * HOUR)
  rig.deliver()
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  t.after(() => db.close())
  assert.deepEqual(rowsOf(db, 'SELECT problem FROM tellings WHERE silence IS NOT NULL'), [])
})

test('what a silence holds of a problem that a person resolved after its latest incident was deleted is not sent', (t) => {
  const conditions = [{ field: 'title', values: ['held'], where: '' }]
  const rig = new SilenceRig(t, [silenceOf({ conditions })], { maxIncidents: 0, oncall: undefined as never })
  const held = rig.incident('disk', { title: 'held' })
  const latest = rig.incident('disk', { sender: 'cloud_alarm', title: 'sent' })
  rig.deliver()
  rig.store.maintenance.prune(10)
  assert.equal(rig.store.incidents.detail(latest), undefined)
  const [problem] = rig.store.problems.list({ limit: 1 }).problems
  assert(problem)
  rig.store.problems.resolve(problem.id, 'Ada')
  assert.deepEqual(rig.states(held), ['chatws silenced'])
  rig.takeTold()
  rig.at(2 * HOUR)
  assert.deepEqual(rig.takeTold(), [
    'chatws: 🔔 Silence "patches" (Anna) over: 1 alert of 1 problem held, 1 resolved, 0 still firing',
  ])
})
