import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { test } from 'node:test'
import { ON_FILES, openDatabase, rowsOf } from '../database.ts'
import { draft, entriesFor, entryOf, freshDir, roomAt, START, StoreRig } from '../support.ts'

const many = (count: number) => Array.from({ length: count }, () => ({ drafts: [draft()] }))
const titles = ({ store }: StoreRig) => store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title)

test('what is only applied is released by the next turn that leases or settles', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const spilled = rig.turn({ entries: entriesFor(rig.store, many(3)) })
  assert.deepEqual([spilled.applied, spilled.released], [3, 0])
  const leased = rig.turn({ entries: entriesFor(rig.store, many(1)), capacity: roomAt('email') })
  assert.deepEqual([leased.applied, leased.released, leased.dispatches.length], [4, 4, 4])
  rig.turn({ entries: entriesFor(rig.store, many(2)) })
  const [one] = leased.dispatches
  assert.ok(one)
  rig.settle(one, { state: 'sent' })
  assert.equal(rig.store.journal.progress().released, 6)
})

test('a checkpoint releases what is applied, and so does a limit of payload bytes', (t) => {
  const rig = new StoreRig(t, { channels: [] })
  rig.turn({ entries: entriesFor(rig.store, many(3)) })
  assert.equal(rig.store.journal.progress().released, 0)
  assert.equal(rig.store.maintenance.checkpoint(), true)
  assert.equal(rig.store.journal.progress().released, 3)
  const large = () => ({ drafts: [draft({ content: Buffer.alloc(4 * 1024 * 1024, '1') })] })
  const released = Array.from({ length: 5 }, () => rig.turn({ entries: entriesFor(rig.store, [large()]) }).released)
  assert.deepEqual(released, [3, 3, 6, 6, 6])
})

test('a power cut undoes only what was not released, and the journal repeats it', ON_FILES, (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const submissions = many(6)
  rig.turn({ entries: [entryOf(1, submissions.slice(0, 2))], capacity: roomAt('email') })
  const dataDir = freshDir(t)
  // A power cut leaves at least the part of the write-ahead log that the last fsync wrote.
  for (const file of ['tocsin.db', 'tocsin.db-wal'])
    copyFileSync(`${rig.options.dataDir}/${file}`, `${dataDir}/${file}`)
  const before = rig.turn({ entries: [entryOf(3, submissions.slice(2))] })
  assert.deepEqual([before.applied, before.released], [6, 2])
  const after = new StoreRig(t, { dataDir, channels: ['email'] })
  assert.equal(after.store.journal.progress().applied, 2)
  after.turn({ entries: [entryOf(1, submissions.slice(0, 2)), entryOf(3, submissions.slice(2))] })
  assert.deepEqual(titles(after), titles(rig))
  assert.deepEqual(
    after.claim('email').map(({ incident, mayDuplicate }) => [incident, mayDuplicate]),
    [1, 2, 3, 4, 5, 6].map((incident) => [incident, incident < 3]),
  )
})

test('a payload larger than the room of a sender goes as the first of a turn only', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const sized = (bytes: number) => ({ drafts: [draft({ content: Buffer.alloc(bytes, '1') })] })
  const claimed = (maxBytes: number) =>
    rig.turn({ capacity: new Map([['email', { slots: 9, maxBytes }]]) }).dispatches.map(({ incident }) => incident)
  const entries = entriesFor(rig.store, [sized(500), sized(50), sized(10), sized(500)])
  const { dispatches } = rig.turn({ entries, capacity: new Map([['email', { slots: 9, maxBytes: 100 }]]) })
  assert.deepEqual(
    dispatches.map(({ incident }) => incident),
    [1],
  )
  assert.deepEqual([claimed(0), claimed(55), claimed(100), claimed(1)], [[], [2], [3], [4]])
})

test('turns that apply run retention now and then', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 10 })
  for (let n = 0; n < 8; n++) rig.turn({ entries: entriesFor(rig.store, many(100)) })
  const { incidents } = rig.store.status.counters()
  assert.ok(incidents < 400, String(incidents))
})

test('incidents that retention would delete at once are skipped, unless something else hangs on them', (t) => {
  const bare = new StoreRig(t, { channels: [], maxIncidents: 3 })
  assert.equal(bare.store.journal.keeps(), 3)
  const { drafts, applied } = bare.turn({
    entries: [{ kind: 'skipped', first: 1, last: 90 }, { kind: 'skipped', first: 91, last: 95 }, entryOf(96, many(3))],
  })
  assert.deepEqual([drafts.length, applied, bare.store.status.counters().incidents], [3, 98, 3])
  bare.reopen()
  assert.equal(bare.store.journal.progress().applied, 98)
  assert.equal(new StoreRig(t, { channels: ['email'], maxIncidents: 3 }).store.journal.keeps(), Infinity)
  const policy = { enable: true, waitMs: 0, provider: 'webhook' } as const
  const paging = new StoreRig(t, { channels: [], maxIncidents: 3, oncall: policy })
  assert.equal(paging.store.journal.keeps(), Infinity)
  paging.spill()
  for (const page of paging.claimAll(['oncall']).dispatches) paging.settle(page, { state: 'sent' })
  const { oncall: _, ...without } = paging.options
  paging.store.close()
  const later = new StoreRig(t, without)
  assert.equal(later.store.journal.keeps(), Infinity, 'a resolution may end the escalation')
})

test('a commit time ahead of the clock does not hold an incident back', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], oncall: { enable: true, waitMs: 60_000, provider: 'webhook' } })
  rig.turn({ entries: [entryOf(1, many(1), START + 3_600_000)] })
  assert.deepEqual([rig.store.outbox.nextDueAt('oncall'), rig.store.outbox.nextDueAt('email')], [START + 60_000, START])
})

test('the payloads of a frame stay until the last of its incidents is deleted', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxIncidents: 0 })
  rig.turn({ entries: [entryOf(1, many(3))] })
  const [first, second, third] = rig.claim('email')
  assert(first && second && third)
  const finish = (dispatch: typeof first) => {
    rig.settle(dispatch, { state: 'sent' })
    return rig.store.maintenance.prune(100)
  }
  assert.deepEqual([finish(first), finish(second)], [1, 1])
  assert.equal(rig.detail(third.id).title, third.title)
  assert.equal(finish(third), 1)
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  assert.deepEqual(rowsOf(db, 'SELECT * FROM contents'), [])
  db.close()
})
