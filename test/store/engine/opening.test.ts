import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CHANNEL_CODE } from '../../../src/store/engine/column-codes.ts'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { SQLITE_MIGRATIONS } from '../../../src/store/schema/sqlite.ts'
import { openStore } from '../../../src/store/store.ts'
import { draft, freshDir, START, StoreRig, withCode } from '../support.ts'

const LIMITS = { channels: [], maxIncidents: 10, maxBacklog: 10, now: () => START }
const modeOf = (path: string) => statSync(path).mode & 0o777

test('directory and files belong to their owner alone', (t) => {
  const dataDir = join(freshDir(t), 'deep', 'data')
  const rig = new StoreRig(t, { dataDir })
  rig.spill()
  assert.equal(modeOf(dataDir), 0o700)
  const files = readdirSync(dataDir)
  assert(files.includes('tocsin.db'))
  for (const file of files) assert.equal(modeOf(join(dataDir, file)), 0o600, file)
})

test('a database of a newer version is refused and left as it is', (t) => {
  const dataDir = freshDir(t)
  openStore({ ...LIMITS, dataDir }).close()
  const path = join(dataDir, 'tocsin.db')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA user_version = 999')
  db.close()
  assert.throws(() => openStore({ ...LIMITS, dataDir }), withCode('storage_down'))
  assert.throws(() => openStore({ ...LIMITS, dataDir }), /version 999.*run the newer program/)
  const after = new DatabaseSync(path)
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 999)
  after.close()
})

test('a database of a development version is refused with the way out, and left as it is', (t) => {
  const dataDir = freshDir(t)
  const path = join(dataDir, 'tocsin.db')
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE incidents (seq INTEGER PRIMARY KEY); PRAGMA user_version = 28')
  db.close()
  assert.throws(() => openStore({ ...LIMITS, dataDir }), withCode('storage_down'))
  assert.throws(() => openStore({ ...LIMITS, dataDir }), /version 28.*move tocsin\.db and journal\/ away/)
  const after = new DatabaseSync(path)
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 28)
  after.close()
})

test('each channel has a default destination on disk', (t) => {
  const db = openDatabase(freshDir(t))
  t.after(() => db.close())
  for (const [name, code] of Object.entries(CHANNEL_CODE)) {
    const row = db.prepare('SELECT channel, target FROM destinations WHERE code = ?').get(code) as object | undefined
    assert.deepEqual({ ...row }, { channel: code, target: '' }, name)
  }
})

test('a later migration finds what an earlier version wrote, and runs once', (t) => {
  const rig = new StoreRig(t)
  const id = rig.spill()
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  t.after(() => db.close())
  const steps = [...SQLITE_MIGRATIONS.map(() => 'SELECT fail'), 'CREATE TABLE later AS SELECT id FROM incidents']
  migrate(db, steps)
  migrate(db, steps)
  assert.deepEqual(
    db
      .prepare('SELECT * FROM later')
      .all()
      .map((row) => row.id),
    [id],
  )
})

test('a migration that fails leaves the database at the version before it', (t) => {
  const db = openDatabase(freshDir(t))
  t.after(() => db.close())
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  const steps = [...SQLITE_MIGRATIONS, 'CREATE TABLE half (x); CREATE TABLE half (x)']
  assert.throws(() => migrate(db, steps))
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, version)
  assert.equal(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()?.n, 0)
})

test('a file that is no database, and a path that is no directory, are refused with a code', (t) => {
  const dataDir = freshDir(t)
  writeFileSync(
    join(dataDir, 'tocsin.db'),
    'this is not a database, although it is long enough to have a header'.repeat(99),
  )
  assert.throws(() => openStore({ ...LIMITS, dataDir }), withCode('storage_down'))
  assert.throws(() => openStore({ ...LIMITS, dataDir: join(dataDir, 'tocsin.db', 'data') }), withCode('storage_down'))
  mkdirSync(join(dataDir, 'other', 'tocsin.db'), { recursive: true })
  assert.throws(() => openStore({ ...LIMITS, dataDir: join(dataDir, 'other') }), /cannot be written \(EISDIR\)/)
})

test('deliveries leased before a restart are pending after it, in order, and may duplicate', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.commit({ drafts: [draft(), draft()] }, ['email'])
  rig.spill()
  rig.reopen()
  assert.deepEqual(
    rig.claim('email').map(({ incident, mayDuplicate }) => [incident, mayDuplicate]),
    [
      [1, true],
      [2, true],
      [3, false],
    ],
  )
})

test('deliveries of a channel that is no longer enabled are skipped and their incidents finish', (t) => {
  const rig = new StoreRig(t)
  const half = rig.spill()
  rig.finish('email')
  rig.commit({ drafts: [draft()] }, ['chatws'])
  rig.reopen({ channels: ['email'] })
  const { notify_status, notify_error, deliveries } = rig.detail(half)
  assert.deepEqual([notify_status, notify_error], ['partial', 'chatws: skipped'])
  assert.deepEqual(
    deliveries.map(({ channel, state }) => [channel, state]),
    [
      ['chatws', 'skipped'],
      ['email', 'sent'],
    ],
  )
  assert.deepEqual(rig.store.status.counters(), {
    incidents: 2,
    quarantinedIncidents: 0,
    finishedIncidents: 1,
    unfinishedDeliveries: 1,
    unknownSettlements: 0,
    unindexed: 2,
  })
})

test('a due time that a wrong clock has set does not hold a delivery back', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  rig.now = START + 400 * 86_400_000
  rig.spill()
  rig.now = START
  rig.reopen()
  assert.equal(rig.claim('email').length, 1)
})

test('closing twice is safe', (t) => {
  const rig = new StoreRig(t)
  rig.store.close()
  rig.store.close()
  assert.throws(() => rig.spill())
})
