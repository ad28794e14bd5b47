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
  const bench = given(t)
  const [before, bad, after] = [[draft()], [draft(), draft()], [draft()]]
  for (const drafts of [before, bad, after]) bench.append(drafts)
  bench.db.exec("UPDATE unfiled SET submissions = '[[null,' WHERE first = 2")
  bench.fileAll()
  assert.deepEqual(bench.titles(), [after, before].flat().map(titleOf))
  assert.deepEqual(
    bench.reported.map(({ first, incidents }) => [first, incidents]),
    [[2, 2]],
  )
  assert.match(bench.reported[0]?.fault ?? '', /JSON/)
  const { incidents, unappliedIncidents, quarantinedIncidents, unfinishedDeliveries } = bench.store.status.counters()
  assert.deepEqual([incidents, unappliedIncidents, quarantinedIncidents, unfinishedDeliveries], [4, 0, 2, 2])
})

test('a turn does all its other work when an entry cannot be applied', (t) => {
  const bench = given(t)
  bench.append([draft()])
  bench.db.exec("UPDATE unfiled SET submissions = '{}'")
  const [one] = packSubmissions([{ drafts: [draft({ title: 'beside' })] }])
  assert.ok(one)
  bench.store.write(() => {
    bench.store.journal.append(one)
    bench.store.journal.apply(100, () => true)
  })
  assert.deepEqual([bench.store.journal.unapplied(), bench.reported.length], [1, 1])
  bench.fileAll()
  assert.deepEqual(bench.titles(), ['beside'])
})

test('an entry that fails in the middle leaves nothing half done', (t) => {
  const bench = given(t)
  bench.append([draft(), draft(), draft()])
  bench.append([draft({ title: 'behind' })])
  bench.db.exec(`INSERT INTO deliveries (incident, channel, state) VALUES (3, ${CHANNEL_CODE.email}, 2)`)
  bench.fileAll()
  assert.deepEqual([bench.titles(), bench.reported.map(({ first }) => first)], [['behind'], [1]])
  assert.equal(bench.rows('SELECT * FROM deliveries WHERE incident < 3').length, 0)
  const counted = bench.store.status.counters()
  bench.db.exec('DELETE FROM deliveries WHERE incident = 3')
  bench.reopen()
  assert.equal(bench.store.maintenance.retryQuarantined(), true)
  const { unappliedIncidents, quarantinedIncidents, incidents, unfinishedDeliveries } = bench.store.status.counters()
  assert.deepEqual([unappliedIncidents, quarantinedIncidents, incidents], [3, 0, counted.incidents])
  assert.equal(unfinishedDeliveries, counted.unfinishedDeliveries + 3)
})

test('an entry that cannot be applied is committed all the same, and goes to quarantine after that', (t) => {
  const bench = given(t)
  bench.db.exec(`INSERT INTO deliveries (incident, channel, state) VALUES (1, ${CHANNEL_CODE.email}, 2)`)
  const { result } = bench.store.write(() => commitAndApply(bench.store, { drafts: [draft()] }, () => true))
  assert.deepEqual([result, bench.store.journal.unapplied(), bench.reported.length], [{ kind: 'created' }, 1, 0])
  bench.fileAll()
  assert.deepEqual([bench.store.status.counters().quarantinedIncidents, bench.reported.length], [1, 1])
})

test('an entry that has lost an incident or payloads goes to quarantine', (t) => {
  const bench = given(t)
  for (const incidents of [2, 1, 1]) bench.append(Array.from({ length: incidents }, () => draft()))
  const [first] = bench.rows('SELECT submissions FROM unfiled ORDER BY first')
  const [[key, overrides, origin, [one, other]]] = JSON.parse(String(first?.submissions))
  const merged = [[key, overrides, origin, [[...one.slice(0, -1), one.at(-1) + other.at(-1)]]]]
  bench.db.prepare('UPDATE unfiled SET submissions = ? WHERE first = 1').run(JSON.stringify(merged))
  bench.db.exec('UPDATE contents SET bytes = zeroblob(1) WHERE first = 3')
  bench.db.exec('DELETE FROM contents WHERE first = 4')
  bench.reopen()
  bench.append([draft({ title: 'next' })])
  bench.fileAll()
  assert.deepEqual(
    bench.reported.map(({ first, incidents }) => [first, incidents]),
    [
      [1, 2],
      [3, 1],
      [4, 1],
    ],
  )
  assert.deepEqual([bench.titles(), bench.store.journal.unapplied()], [['next'], 0])
})

test('a start tries quarantined entries again; retention has not touched them, and a search finds them', (t) => {
  const bench = given(t, { channels: [], maxIncidents: 1 })
  const kept = draft({ title: 'kept aside', content: Buffer.from('{"word":"ptarmigan"}') })
  bench.append([kept])
  const [row] = bench.rows('SELECT submissions FROM unfiled')
  bench.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  bench.fileAll()
  for (let n = 0; n < 4; n++) {
    bench.append([draft()])
    bench.fileAll()
  }
  bench.db.exec('DELETE FROM contents WHERE first = 2')
  bench.store.write(() => bench.store.maintenance.prune(100))
  while (bench.store.maintenance.index(100) > 0);
  bench.reopen()
  bench.fileAll()
  assert.deepEqual([bench.reported.length, bench.store.status.counters().quarantinedIncidents], [2, 1])
  bench.db.prepare('UPDATE quarantine SET submissions = ?').run(String(row?.submissions))
  bench.reopen()
  bench.fileAll()
  assert.equal(bench.store.status.counters().quarantinedIncidents, 0)
  assert.deepEqual(bench.store.incidents.detail(kept.id)?.content, { word: 'ptarmigan' })
  const found = bench.store.incidents.list({ limit: 9, q: 'ptarmigan' }).incidents
  assert.deepEqual(
    found.map(({ id }) => id),
    [kept.id],
  )
})

test('quarantined entries count against no quota at a start, and come back one at a time', (t) => {
  const bench = given(t, { maxBacklog: 10 })
  for (let n = 0; n < 4; n++) {
    bench.append(Array.from({ length: 8 }, () => draft()))
    bench.db.exec("UPDATE unfiled SET submissions = 'damaged'")
    bench.fileAll()
  }
  bench.reopen()
  assert.deepEqual([bench.store.journal.unapplied(), bench.store.status.counters().unfinishedDeliveries], [0, 0])
  assert.deepEqual([bench.store.maintenance.retryQuarantined(), bench.store.journal.unapplied()], [true, 8])
  bench.fileAll()
  assert.deepEqual(
    [
      bench.reported.length,
      bench.store.maintenance.retryQuarantined(),
      bench.store.status.counters().quarantinedIncidents,
    ],
    [8, false, 32],
  )
})

test('an entry stays in quarantine when the disk refuses to move it, and nothing else is held up', (t) => {
  const bench = given(t)
  bench.append([draft()])
  bench.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  bench.fileAll()
  bench.reopen()
  bench.db.exec('PRAGMA query_only = 1')
  assert.equal(bench.store.maintenance.retryQuarantined(), false)
  bench.db.exec('PRAGMA query_only = 0')
  bench.append([draft({ title: 'next' })])
  bench.fileAll()
  assert.deepEqual([bench.titles(), bench.store.status.counters().quarantinedIncidents], [['next'], 1])
})

test('a clock that was ahead when an entry went to quarantine does not hold it back', (t) => {
  const clock = { now: START + 86_400_000 }
  const bench = given(t, { now: () => clock.now })
  bench.append([draft()])
  const [row] = bench.rows('SELECT submissions FROM unfiled')
  bench.db.exec("UPDATE unfiled SET submissions = 'damaged'")
  bench.fileAll()
  bench.db.prepare('UPDATE quarantine SET submissions = ?').run(String(row?.submissions))
  clock.now = START
  bench.reopen()
  bench.fileAll()
  assert.equal(bench.store.outbox.nextDueAt('email'), START)
})

test('a disk that refuses while an entry is applied does not quarantine the entry', (t) => {
  const bench = given(t)
  const drafts = Array.from({ length: 500 }, () => draft({ title: 'x'.repeat(500) }))
  bench.append(drafts)
  const refuse = () => {
    throw new CodedError('storage_down')
  }
  assert.throws(() => bench.store.write(() => bench.store.journal.apply(500, refuse)), withCode('storage_down'))
  const pages = Number(bench.rows('PRAGMA page_count')[0]?.page_count)
  bench.db.exec(`PRAGMA max_page_count = ${pages}`)
  assert.throws(() => bench.store.write(() => bench.store.journal.apply(500, () => false)), withCode('storage_full'))
  assert.deepEqual([bench.store.journal.unapplied(), bench.reported.length], [500, 0])
  bench.db.exec(`PRAGMA max_page_count = ${pages + 1_000}`)
  bench.fileAll()
  assert.equal(bench.titles().length, 100)
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
  const bench = {
    ...open(),
    reported,
    reopen() {
      bench.store.close()
      Object.assign(bench, open())
    },
    /** Commits the incidents as one batch and applies nothing. */
    append(drafts: readonly Draft[]) {
      bench.store.write(() => packSubmissions([{ drafts }]).map((packed) => bench.store.journal.append(packed)))
    },
    fileAll() {
      for (let turns = 0; bench.store.journal.unapplied() > 0 || bench.store.maintenance.retryQuarantined(); turns++) {
        assert.ok(turns < 100, 'applying comes to an end')
        bench.store.write(() => bench.store.journal.apply(1_000, () => false))
      }
    },
    titles: () => bench.store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title),
    rows: (sql: string) => bench.db.prepare(sql).all(),
  }
  t.after(() => bench.store.close())
  return bench
}
