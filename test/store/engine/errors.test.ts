import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/store.ts'
import {
  backlogOf,
  draft,
  entriesFor,
  freshDir,
  roomAt,
  START,
  StoreRig,
  settlement,
  turn,
  withCode,
} from '../support.ts'

/** A store whose disk has room for `freePages` pages. */
function onSmallDisk(t: TestContext, freePages: number) {
  const dataDir = freshDir(t)
  const db = openDatabase(dataDir)
  const options = { dataDir, channels: ['email'], maxIncidents: 10, maxBacklog: 1e6, now: () => START } as const
  const store = openStore(options, db)
  t.after(() => store.close())
  setRoom(db, freePages)
  return { store, setRoom: (pages: number) => setRoom(db, pages) }
}

function setRoom(db: DatabaseSync, freePages: number): void {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count)
  db.exec(`PRAGMA max_page_count = ${pages + freePages}`)
}

const big = () => draft({ content: Buffer.from(`{"pad":"${'x'.repeat(50_000)}"}`) })

test('a full disk refuses with its code, undoes the transaction, and is usable when there is room again', (t) => {
  const { store, setRoom } = onSmallDisk(t, 40)
  const commit = (drafts = [big()]) =>
    turn(store, { entries: entriesFor(store, [{ drafts, key: drafts[0]?.id ?? '' }]), capacity: roomAt('email') })
  const kept = [big(), big()]
  const { dispatches } = commit(kept)
  const before = [store.status.counters(), backlogOf(store)]
  const refused = Array.from({ length: 20 }, big)
  assert.throws(() => commit(refused), withCode('storage_full'))
  assert.deepEqual([store.status.counters(), backlogOf(store)], before)
  assert.equal(store.incidents.detail(refused[0]?.id ?? ''), undefined)
  turn(store, { settlements: dispatches.map((dispatch) => settlement(dispatch, { state: 'sent' })) })
  assert.equal(store.incidents.detail(kept[0]?.id ?? '')?.notify_status, 'sent')
  setRoom(1000)
  assert.equal(commit(refused).drafts.length, 20)
  assert.equal(store.status.counters().incidents, 22)
})

test('the check throws while an ordinary request has no room, and passes every time when it has', (t) => {
  const { store, setRoom } = onSmallDisk(t, 3)
  assert.throws(() => store.status.check(), withCode('storage_full'))
  setRoom(100)
  store.status.check()
  store.status.check()
})

test('a checkpoint moves the write-ahead log into the database file', (t) => {
  const { store } = onSmallDisk(t, 1000)
  turn(store, { entries: entriesFor(store, [{ drafts: [big()] }]) })
  assert.equal(store.maintenance.checkpoint(), true)
  store.close()
  assert.equal(store.maintenance.checkpoint(), false)
})

test('a store whose directory was removed changes nothing until it is back', (t) => {
  const rig = new StoreRig(t)
  rig.spill()
  renameSync(rig.options.dataDir, `${rig.options.dataDir}.gone`)
  t.after(() => rmSync(`${rig.options.dataDir}.gone`, { recursive: true, force: true }))
  for (const change of [
    () => rig.commit({ drafts: [draft()] }),
    () => rig.claim('chatws'),
    () => rig.store.channels.pause('chatws'),
    () => rig.store.maintenance.prune(1),
    () => rig.store.status.check(),
  ])
    assert.throws(change, withCode('storage_down'))
  renameSync(`${rig.options.dataDir}.gone`, rig.options.dataDir)
  rig.store.status.check()
  rig.spill()
  assert.equal(rig.claim('chatws').length, 2)
})
