import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Draft } from '../../../src/domain/commit.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { CHANNEL_CODE } from '../../../src/store/engine/column-codes.ts'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import type { Quarantined } from '../../../src/store/ports/journal.ts'
import { openStore, type StoreOptions } from '../../../src/store/store.ts'
import { commitAndApply, draft, freshDir, START, withCode } from '../support.ts'

test('an entry that cannot be read goes to quarantine, is reported, and holds up nothing', (t) => {
  const rig = given(t)
  const [before, bad, after] = [[draft()], [draft(), draft()], [draft()]]
  for (const drafts of [before, bad, after]) rig.append(drafts)
  rig.db.exec("UPDATE unfiled SET submissions = '[[null,' WHERE first = 2")
  rig.fileAll()
  assert.deepEqual(rig.titles(), [after, before].flat().map(titleOf))
  assert.deepEqual(
    rig.reported.map(({ first, incidents }) => [first, incidents]),
    [[2, 2]],
  )
  assert.match(rig.reported[0]?.error ?? '', /JSON/)
  const { incidents, unappliedIncidents, quarantinedIncidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.deepEqual([incidents, unappliedIncidents, quarantinedIncidents, unfinishedDeliveries], [4, 0, 2, 2])
})

test('a turn does all its other work when an entry cannot be applied', (t) => {
  const rig = given(t)
  rig.append([draft()])
  rig.db.exec("UPDATE unfiled SET submissions = '{}'")
  const [one] = packSubmissions([{ drafts: [draft({ title: 'beside' })] }])
  assert.ok(one)
  rig.store.write(() => {
    rig.store.journal.append(one)
    rig.store.journal.apply(100, () => true)
  })
  assert.deepEqual([rig.store.journal.unapplied(), rig.reported.length], [1, 1])
  rig.fileAll()
  assert.deepEqual(rig.titles(), ['beside'])
})

test('an entry that fails in the middle leaves nothing half done', (t) => {
  const rig = given(t)
  rig.append([draft(), draft(), draft()])
  rig.append([draft({ title: 'behind' })])
  rig.db.exec(
    `INSERT INTO dispatches (incident, kind, destination, number, state) VALUES (3, 0, ${CHANNEL_CODE.email}, 0, 2)`,
  )
  rig.fileAll()
  assert.deepEqual([rig.titles(), rig.reported.map(({ first }) => first)], [['behind'], [1]])
  assert.equal(rig.rows('SELECT * FROM dispatches WHERE incident < 3').length, 0)
  const counted = rig.store.status.counters()
  rig.db.exec('DELETE FROM dispatches WHERE incident = 3')
  rig.reopen()
  assert.equal(rig.store.maintenance.retryQuarantined(), true)
  const { unappliedIncidents, quarantinedIncidents, incidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.deepEqual([unappliedIncidents, quarantinedIncidents, incidents], [3, 0, counted.incidents])
  assert.equal(unfinishedDeliveries, counted.unfinishedDeliveries + 3)
})

test('an entry that cannot be applied is committed all the same, and goes to quarantine after that', (t) => {
  const rig = given(t)
  rig.db.exec(
    `INSERT INTO dispatches (incident, kind, destination, number, state) VALUES (1, 0, ${CHANNEL_CODE.email}, 0, 2)`,
  )
  const { result } = rig.store.write(() => commitAndApply(rig.store, { drafts: [draft()] }, () => true))
  assert.deepEqual([result, rig.store.journal.unapplied(), rig.reported.length], [{ kind: 'created' }, 1, 0])
  rig.fileAll()
  assert.deepEqual([rig.store.status.counters().quarantinedIncidents, rig.reported.length], [1, 1])
})

test('an entry that has lost an incident or payloads goes to quarantine', (t) => {
  const rig = given(t)
  for (const incidents of [2, 1, 1]) rig.append(Array.from({ length: incidents }, () => draft()))
  const [first] = rig.rows('SELECT submissions FROM unfiled ORDER BY first')
  const [[key, overrides, origin, [one, other]]] = JSON.parse(String(first?.submissions))
  const merged = [[key, overrides, origin, [[...one.slice(0, -1), one.at(-1) + other.at(-1)]]]]
  rig.db.prepare('UPDATE unfiled SET submissions = ? WHERE first = 1').run(JSON.stringify(merged))
  rig.db.exec('UPDATE contents SET bytes = zeroblob(1) WHERE first = 3')
  rig.db.exec('DELETE FROM contents WHERE first = 4')
  rig.reopen()
  rig.append([draft({ title: 'next' })])
  rig.fileAll()
  assert.deepEqual(
    rig.reported.map(({ first, incidents }) => [first, incidents]),
    [
      [1, 2],
      [3, 1],
      [4, 1],
    ],
  )
  assert.deepEqual([rig.titles(), rig.store.journal.unapplied()], [['next'], 0])
})

test('a start tries quarantined entries again; retention has not touched them, and a search finds them', (t) => {
  const rig = given(t, { channels: [], maxIncidents: 1 })
  const kept = draft({ title: 'kept aside', content: Buffer.from('{"word":"ptarmigan"}') })
  rig.append([kept])
  const [row] = rig.rows('SELECT submissions FROM unfiled')
  rig.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  rig.fileAll()
  for (let n = 0; n < 4; n++) {
    rig.append([draft()])
    rig.fileAll()
  }
  rig.db.exec('DELETE FROM contents WHERE first = 2')
  rig.store.write(() => rig.store.maintenance.prune(100))
  while (rig.store.maintenance.index(100) > 0);
  rig.reopen()
  rig.fileAll()
  assert.deepEqual([rig.reported.length, rig.store.status.counters().quarantinedIncidents], [2, 1])
  rig.db.prepare('UPDATE quarantine SET submissions = ?').run(String(row?.submissions))
  rig.reopen()
  rig.fileAll()
  assert.equal(rig.store.status.counters().quarantinedIncidents, 0)
  assert.deepEqual(rig.store.incidents.detail(kept.id)?.content, { word: 'ptarmigan' })
  const found = rig.store.incidents.list({ limit: 9, q: 'ptarmigan' }).incidents
  assert.deepEqual(
    found.map(({ id }) => id),
    [kept.id],
  )
})

test('quarantined entries count against no quota at a start, and come back one at a time', (t) => {
  const rig = given(t, { maxBacklog: 10 })
  for (let n = 0; n < 4; n++) {
    rig.append(Array.from({ length: 8 }, () => draft()))
    rig.db.exec("UPDATE unfiled SET submissions = 'damaged'")
    rig.fileAll()
  }
  rig.reopen()
  assert.deepEqual([rig.store.journal.unapplied(), rig.store.status.counters().unfinishedDeliveries], [0, 0])
  assert.deepEqual([rig.store.maintenance.retryQuarantined(), rig.store.journal.unapplied()], [true, 8])
  rig.fileAll()
  assert.deepEqual(
    [rig.reported.length, rig.store.maintenance.retryQuarantined(), rig.store.status.counters().quarantinedIncidents],
    [8, false, 32],
  )
})

test('an entry stays in quarantine when the disk refuses to move it, and nothing else is held up', (t) => {
  const rig = given(t)
  rig.append([draft()])
  rig.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  rig.fileAll()
  rig.reopen()
  rig.db.exec('PRAGMA query_only = 1')
  assert.equal(rig.store.maintenance.retryQuarantined(), false)
  rig.db.exec('PRAGMA query_only = 0')
  rig.append([draft({ title: 'next' })])
  rig.fileAll()
  assert.deepEqual([rig.titles(), rig.store.status.counters().quarantinedIncidents], [['next'], 1])
})

test('a clock that was ahead when an entry went to quarantine does not hold it back', (t) => {
  const clock = { now: START + 86_400_000 }
  const rig = given(t, { now: () => clock.now })
  rig.append([draft()])
  const [row] = rig.rows('SELECT submissions FROM unfiled')
  rig.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  rig.fileAll()
  rig.db.prepare('UPDATE quarantine SET submissions = ?').run(String(row?.submissions))
  clock.now = START
  rig.reopen()
  rig.fileAll()
  assert.equal(rig.store.outbox.nextDueAt('email'), START)
})

test('a disk that refuses while an entry is applied does not quarantine the entry', (t) => {
  const rig = given(t)
  const drafts = Array.from({ length: 500 }, () => draft({ title: 'x'.repeat(500) }))
  rig.append(drafts)
  const refuse = () => {
    throw new CodedError('storage_down')
  }
  assert.throws(() => rig.store.write(() => rig.store.journal.apply(500, refuse)), withCode('storage_down'))
  const pages = Number(rig.rows('PRAGMA page_count')[0]?.page_count)
  rig.db.exec(`PRAGMA max_page_count = ${pages}`)
  assert.throws(() => rig.store.write(() => rig.store.journal.apply(500, () => false)), withCode('storage_full'))
  assert.deepEqual([rig.store.journal.unapplied(), rig.reported.length], [500, 0])
  rig.db.exec(`PRAGMA max_page_count = ${pages + 1_000}`)
  rig.fileAll()
  assert.equal(rig.titles().length, 100)
})

const titleOf = ({ title }: Draft) => title

/** A store whose database can be damaged. */
function given(t: TestContext, changes: Partial<StoreOptions> = {}) {
  const reported: Quarantined[] = []
  const options: StoreOptions = {
    dataDir: freshDir(t),
    channels: ['email'],
    maxIncidents: 1_000,
    maxBacklog: 1_000,
    now: () => START,
    quarantined: (row) => void reported.push(row),
    ...changes,
  }
  const open = () => {
    const db: DatabaseSync = openDatabase(options.dataDir)
    return { db, store: openStore(options, db) }
  }
  const rig = {
    ...open(),
    reported,
    reopen() {
      rig.store.close()
      Object.assign(rig, open())
    },
    /** Commits the incidents as one batch and applies nothing. */
    append(drafts: readonly Draft[]) {
      rig.store.write(() => packSubmissions([{ drafts }]).map((packed) => rig.store.journal.append(packed)))
    },
    fileAll() {
      for (let turns = 0; rig.store.journal.unapplied() > 0 || rig.store.maintenance.retryQuarantined(); turns++) {
        assert.ok(turns < 100, 'applying comes to an end')
        rig.store.write(() => rig.store.journal.apply(1_000, () => false))
      }
    },
    titles: () => rig.store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title),
    rows: (sql: string) => rig.db.prepare(sql).all(),
  }
  t.after(() => rig.store.close())
  return rig
}
