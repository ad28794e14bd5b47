import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, rowsOf } from '../database.ts'
import { SilenceRig, silenceOf } from '../noise/silences/rig.ts'
import { draft, StoreRig } from '../support.ts'

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
