import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decodeFrame } from '../../../actors/store/decode-frame.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import type { Turn } from '../../../src/store/ports/turn.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { failAt, ON_FILES, openDatabase, openStore, rowsOf } from '../database.ts'
import { draft, entriesFor, entryOf, freshDir, roomAt, START, settlement, turn, withCode } from '../support.ts'

const titleOf = ({ title }: Draft) => title

test('an entry that cannot be read goes to quarantine, is reported, and holds up nothing', (t) => {
  const rig = given(t)
  const [before, after] = [draft(), draft()]
  const bad = entryOf(2, [{ drafts: [draft(), draft()] }])
  const result = rig.turn({
    entries: [
      entryOf(1, [{ drafts: [before] }]),
      { kind: 'unreadable', first: 2, last: 3, frame: bad.frame, error: 'torn' },
      entryOf(4, [{ drafts: [after] }]),
    ],
  })
  assert.deepEqual(result.quarantined, [{ first: 2, last: 3, error: 'torn' }])
  assert.deepEqual([rig.titles(), result.applied], [[after, before].map(titleOf), 4])
  const { incidents, quarantinedIncidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.deepEqual([incidents, quarantinedIncidents, unfinishedDeliveries], [4, 2, 2])
})

test('one incident that cannot be applied goes to quarantine alone; the turn does all its other work', (t) => {
  const rig = given(t)
  rig.turn({ entries: [entryOf(1, [{ drafts: [draft()] }])] })
  const [waiting] = rig.turn({ capacity: roomAt('email') }).dispatches
  assert.ok(waiting)
  rig.failAt(5)
  const drafts = Array.from({ length: 7 }, () => draft())
  const entry = entryOf(2, [
    { drafts: drafts.slice(0, 2), key: 'a' },
    { drafts: drafts.slice(2, 6), key: 'b' },
    { drafts: drafts.slice(6) },
  ])
  const result = rig.turn({
    entries: [entry, entryOf(9, [{ drafts: [draft({ title: 'behind' })] }])],
    settlements: [settlement(waiting, { state: 'sent' })],
    capacity: roomAt('email'),
  })
  assert.deepEqual(
    result.quarantined.map(({ first, last }) => [first, last]),
    [[5, 5]],
  )
  assert.match(result.quarantined[0]?.error ?? '', /on purpose/)
  assert.deepEqual([result.settled[0]?.kind, result.applied], ['delivery', 9])
  const others = drafts.filter((_, at) => at !== 3)
  assert.deepEqual(
    result.dispatches.map(({ title, content }) => [title, Buffer.from(content ?? '').toString()]).slice(0, -1),
    others.map(({ title, content }) => [title, content.toString()]),
  )
  assert.deepEqual(
    others.map(({ id }) => JSON.stringify(rig.store.incidents.detail(id)?.content)),
    others.map(({ content }) => Buffer.from(content).toString()),
  )
  assert.deepEqual(rig.store.journal.findKeys(['a', 'b']), [drafts[0]?.id, drafts[2]?.id])
  assert.equal(rig.rows('SELECT * FROM dispatches WHERE incident = 5').length, 0)
})

test('an entry that fails in the middle leaves nothing half done', (t) => {
  const rig = given(t)
  rig.failAt(1, 2, 3)
  const result = rig.turn({ entries: [entryOf(1, [{ drafts: [draft(), draft(), draft()] }])] })
  assert.deepEqual(
    result.quarantined.map(({ first }) => first),
    [1, 2, 3],
  )
  for (const table of ['incidents', 'dispatches', 'contents', 'idempotency'])
    assert.equal(rig.rows(`SELECT * FROM ${table}`).length, 0, table)
  const { incidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.deepEqual([incidents, unfinishedDeliveries], [3, 0])
})

test('a start tries quarantined incidents again, under their numbers, and a search finds them', (t) => {
  const rig = given(t)
  rig.failAt(2)
  const kept = draft({ content: Buffer.from('{"word":"ptarmigan"}') })
  const entry = entryOf(1, [{ drafts: [draft(), kept, draft()], key: 'k' }])
  rig.turn({ entries: [entry] })
  while (rig.store.maintenance.index(100) > 0);
  assert.equal(rig.store.journal.nextQuarantined(), undefined, 'not before the next start')
  rig.reopen()
  assert.deepEqual([rig.retryAll(), rig.store.status.counters().quarantinedIncidents], [[false], 1])
  rig.failAt()
  rig.reopen()
  assert.deepEqual(rig.retryAll(), [true])
  assert.deepEqual([rig.store.status.counters().quarantinedIncidents, rig.store.journal.progress().applied], [0, 3])
  while (rig.store.maintenance.index(100) > 0);
  const [found] = rig.store.incidents.list({ limit: 9, q: 'ptarmigan' }).incidents
  assert.equal(rig.rows(`SELECT seq FROM incidents WHERE id = '${found?.id}'`)[0]?.seq, 2)
  assert.deepEqual(rig.store.incidents.detail(found?.id ?? '')?.content, { word: 'ptarmigan' })
  assert.equal(turn(rig.store, { capacity: roomAt('email') }).dispatches.length, 3)
  rig.reopen()
  assert.deepEqual(rig.retryAll(), [])
})

test('of a frame that can be read in part, only the rest stays in quarantine', (t) => {
  const rig = given(t)
  const good = draft({ content: Buffer.from('{"Logs":"good"}') })
  const { frame } = entryOf(1, [{ drafts: [draft(), good] }])
  const broken = Buffer.from(frame)
  broken.set(Buffer.from('!'), broken.indexOf('{"Logs"'))
  rig.turn({ entries: [{ kind: 'unreadable', first: 1, last: 2, frame: broken, error: 'of an older program' }] })
  rig.reopen()
  assert.deepEqual(rig.retryAll(), [true])
  assert.deepEqual([rig.titles(), rig.store.status.counters().quarantinedIncidents], [['good'], 1])
  rig.reopen()
  assert.deepEqual(rig.retryAll(), [false])
})

test('quarantined incidents count against no quota, and stay while the disk refuses to move them', ON_FILES, (t) => {
  const rig = given(t, { maxBacklog: 1 })
  const { frame } = entryOf(1, [{ drafts: Array.from({ length: 8 }, () => draft()) }])
  rig.turn({ entries: [{ kind: 'unreadable', first: 1, last: 8, frame, error: 'for now' }] })
  assert.deepEqual([rig.store.journal.progress().applied, rig.store.journal.progress().backlog], [8, 0])
  rig.reopen()
  const next = rig.store.journal.nextQuarantined()
  assert(next)
  const entries = decodeFrame(next.frame, next, recognise)
  rig.db.exec('PRAGMA query_only = 1')
  assert.throws(() => rig.store.journal.retry(next, entries), withCode('storage_down'))
  rig.db.exec('PRAGMA query_only = 0')
  assert.equal(rig.store.status.counters().quarantinedIncidents, 8)
  assert.equal(rig.store.journal.retry(next, entries)?.drafts.length, 8)
})

test('a disk that refuses while an entry is applied does not quarantine the entry', ON_FILES, (t) => {
  const rig = given(t)
  const entries = entriesFor(rig.store, [
    { drafts: Array.from({ length: 500 }, () => draft({ title: 'x'.repeat(500) })) },
  ])
  const pages = Number(rig.rows('PRAGMA page_count')[0]?.page_count)
  rig.db.exec(`PRAGMA max_page_count = ${pages}`)
  assert.throws(() => rig.turn({ entries }), withCode('storage_full'))
  assert.deepEqual([rig.store.journal.progress().applied, rig.store.status.counters().quarantinedIncidents], [0, 0])
  rig.db.exec(`PRAGMA max_page_count = ${pages + 1_000}`)
  assert.equal(rig.turn({ entries }).drafts.length, 500)
})

/** A store whose database can be damaged. */
function given(t: TestContext, changes: Partial<StoreOptions> = {}) {
  const options: StoreOptions = {
    dataDir: freshDir(t),
    channels: ['email'],
    maxIncidents: 1_000,
    maxBacklog: 1_000,
    now: () => START,
    ...changes,
  }
  const open = () => {
    const db = openDatabase(options.dataDir)
    return { db, store: openStore(options, db) }
  }
  const rig = {
    ...open(),
    reopen() {
      rig.store.close()
      Object.assign(rig, open())
    },
    turn: (part: Partial<Turn>) => turn(rig.store, part),
    failAt(...numbers: readonly number[]) {
      failAt(rig.db, numbers)
    },
    /** Retries what was in quarantine at the opening; true: something of the entry was applied. */
    retryAll() {
      const results: boolean[] = []
      for (let next = rig.store.journal.nextQuarantined(); next; next = rig.store.journal.nextQuarantined()) {
        const entries = decodeFrame(next.frame, next, recognise)
        results.push(rig.store.journal.retry(next, entries) !== undefined)
      }
      return results
    },
    titles: () => rig.store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title),
    rows: (sql: string) => rowsOf<{ [name: string]: unknown }>(rig.db, sql),
  }
  t.after(() => rig.store.close())
  return rig
}
