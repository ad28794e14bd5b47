import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CodedError } from '../../../src/domain/errors.ts'
import { openDatabase as openSynced } from '../../../src/store/engine/database.ts'
import { ON_FILES, openDatabase, openStore, rowsOf } from '../database.ts'
import { draft, entriesFor, StoreRig, turn, withCode } from '../support.ts'

const json = (payload: unknown) => Buffer.from(JSON.stringify(payload))

/** Incidents by their subject. */
const SOME = {
  disk: {
    title: 'DiskWillFillSoon',
    content: json({ labels: { instance: 'db-3.west:9100' }, note: 'the disk is full' }),
  },
  cafe: {
    title: 'Überlast im Café',
    service: 'kasse',
    severity: 'warning',
    content: json({ count: 5432, deep: [{ a: ['x'] }] }),
  },
  chinese: { title: '数据库连接失败', status: 'resolved', content: json({ Logs: 'connection refused\nby peer' }) },
  agent: {
    title: 'spike',
    source: 'agent',
    sender: 'agent',
    content: json({ at: '2026-01-12T03:04:05Z', Summary: 'disks' }),
  },
} as const
type Name = keyof typeof SOME
const NAMES = Object.keys(SOME) as Name[]

/** A store with these incidents, of which the first `indexed` are indexed. */
function given(t: { after(clean: () => void): void }, indexed: number) {
  const rig = new StoreRig(t)
  const ids = new Map(NAMES.map((name) => [rig.spill(SOME[name]), name]))
  rig.store.maintenance.index(indexed)
  const find = (q: string, filter = {}) =>
    rig.store.incidents
      .list({ limit: 50, q, ...filter })
      .incidents.map(({ id }) => ids.get(id))
      .reverse()
  return { rig, find, ids: new Map([...ids].map(([id, name]) => [name, id])) }
}

for (const indexed of [0, 2, 4]) {
  test(`a search finds the incidents with its words, with ${indexed} of 4 incidents in the index`, (t) => {
    const { rig, find, ids } = given(t, indexed)
    const wanted: readonly (readonly [q: string, ...names: Name[]])[] = [
      ['disk', 'disk', 'agent'],
      ['"disk"', 'disk'],
      ['full disk', 'disk'],
      ['"full disk"'],
      ['"disk is full"', 'disk'],
      ['db-3.west', 'disk'],
      ['db-3.wes', 'disk'],
      ['db-3.we'],
      ['west-db'],
      ['fill soon', 'disk'],
      ['DISKWILLFILLSOON', 'disk'],
      ['uberlast', 'cafe'],
      ['ÜBERLAST cafe', 'cafe'],
      ['5432', 'cafe'],
      ['kasse', 'cafe'],
      ['连接', 'chinese'],
      ['"连接失败"', 'chinese'],
      ['失连'],
      ['refused by', 'chinese'],
      ['AND refused AND peer', 'chinese'],
      ['custom', 'disk', 'cafe', 'chinese'],
      ['labels'],
      ['2026'],
      ['nothinglikethis'],
      [ids.get('cafe') ?? '', 'cafe'],
    ]
    for (const [q, ...names] of wanted) {
      assert.deepEqual(find(q), names, q)
      assert.equal(rig.store.incidents.list({ limit: 1, q }).total, names.length, q)
    }
  })

  test(`filters narrow a search, with ${indexed} of 4 incidents in the index`, (t) => {
    const { find } = given(t, indexed)
    assert.deepEqual(find('custom', { status: 'resolved' }), ['chinese'])
    assert.deepEqual(find('custom', { severity: 'warning' }), ['cafe'])
    assert.deepEqual(find('custom', { service: 'checkout' }), ['disk', 'chinese'])
    assert.deepEqual(find('', { source: 'agent' }), ['agent'])
    assert.deepEqual(find('', { channel: 'email', status: 'firing' }), ['disk', 'cafe', 'agent'])
    assert.deepEqual(find('', { channel: 'console' }), [])
  })
}

test('any text is searched for or refused with a reason', (t) => {
  const { find } = given(t, 2)
  const signs = [
    '"',
    '*',
    '(',
    ')',
    '-',
    'AND',
    'OR',
    'NOT',
    'NEAR(',
    "'",
    ':',
    '^',
    '+',
    '=f',
    '\0',
    '%',
    'disk',
    ' ',
    '=4af3',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom(...signs)).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (q) => {
      try {
        find(q)
      } catch (error) {
        assert.ok(error instanceof CodedError && error.code === 'bad_parameter', `${JSON.stringify(q)}: ${error}`)
      }
    }),
    { numRuns: 500 },
  )
  assert.throws(() => find('*'), withCode('bad_parameter'))
  assert.throws(() => find('x'.repeat(201)), withCode('bad_parameter'))
  assert.throws(() => find('a b c d e f g h i j k l m n o p q'), withCode('bad_parameter'))
  assert.deepEqual(find('=f'), [], 'marks of the index are no words')
})

test('pages continue from unindexed to indexed incidents while both change', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 10_000 })
  const spill = (count: number) => Array.from({ length: count }, () => rig.spill({ title: 'same' }))
  const ids = [...spill(7), ...spill(6)]
  rig.store.maintenance.index(7)
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = rig.store.incidents.list({ limit: 4, q: 'same', ...(cursor && { cursor }) })
    seen.push(...page.incidents.map(({ id }) => id))
    cursor = page.next_cursor
    rig.store.maintenance.index(2)
    spill(1)
  }
  assert.deepEqual(seen, ids.toReversed())
})

test('far behind, each page scans a bounded stretch of unindexed incidents, and none is left out', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 100_000 })
  const wanted = rig.spill({ title: 'needle' })
  for (let n = 0; n < 50; n++) rig.commit({ drafts: Array.from({ length: 100 }, () => draft({ title: 'hay' })) })
  const first = rig.store.incidents.list({ limit: 10, q: 'needle' })
  assert.deepEqual([first.incidents, first.total_is_exact], [[], false])
  let page = first
  for (let calls = 1; page.next_cursor !== null; calls++) {
    assert.ok(calls < 10)
    page = rig.store.incidents.list({ limit: 10, q: 'needle', cursor: page.next_cursor })
  }
  assert.deepEqual(
    page.incidents.map(({ id }) => id),
    [wanted],
  )
  while (rig.store.maintenance.index(1_000) > 0);
  const { incidents, total, total_is_exact } = rig.store.incidents.list({ limit: 10, q: 'needle' })
  assert.deepEqual([incidents.length, total, total_is_exact], [1, 1, true])
})

test('pruned incidents are not found, indexed or not', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 3 })
  const ids = Array.from({ length: 10 }, () => rig.spill({ title: 'same' }))
  rig.store.maintenance.index(8)
  rig.store.maintenance.prune(5)
  const find = () => rig.store.incidents.list({ limit: 50, q: 'same' })
  assert.deepEqual([find().total, find().incidents.length], [5, 5])
  rig.store.maintenance.prune(5)
  rig.store.maintenance.index(50)
  const { incidents, total } = find()
  assert.deepEqual([incidents.map(({ id }) => id), total], [ids.slice(7).reverse(), 3])
})

test('after a restart the index continues where it was', (t) => {
  const rig = new StoreRig(t)
  rig.spill({ title: 'first' })
  rig.store.maintenance.index(1)
  rig.spill({ title: 'second' })
  rig.reopen()
  const find = (q: string) => rig.store.incidents.list({ limit: 5, q }).total
  assert.equal(rig.store.status.counters().unindexed, 1)
  assert.deepEqual([find('first'), find('second')], [1, 1])
  assert.equal(rig.store.maintenance.index(10), 1)
  assert.deepEqual([find('first'), find('second')], [1, 1])
})

test('an incident is found by a channel that was added later', (t) => {
  const rig = new StoreRig(t, { channels: ['email'] })
  const id = rig.spill()
  rig.store.maintenance.index(10)
  rig.reopen({ channels: ['email', 'console'] })
  rig.store.operator.resend(id)
  const found = rig.store.incidents.list({ limit: 5, channel: 'console' })
  assert.deepEqual([found.incidents.map((each) => each.id), found.total], [[id], 1])
})

test('commits are synced again after indexing, even when indexing fails', ON_FILES, (t) => {
  const rig = new StoreRig(t)
  rig.store.close()
  const db = openSynced(rig.options.dataDir)
  const store = openStore(rig.options, db)
  t.after(() => store.close())
  const synchronous = () => rowsOf<{ synchronous: number }>(db, 'PRAGMA synchronous')[0]?.synchronous
  turn(store, { entries: entriesFor(store, [{ drafts: [draft()] }]) })
  assert.equal(store.maintenance.index(10), 1)
  assert.equal(synchronous(), 2)
  turn(store, { entries: entriesFor(store, [{ drafts: [draft()] }]) })
  db.exec('ALTER TABLE indexed RENAME TO gone')
  assert.throws(() => store.maintenance.index(10))
  assert.equal(synchronous(), 2)
  assert.equal(store.status.counters().unindexed, 1)
  assert.equal(turn(store, { entries: entriesFor(store, [{ drafts: [draft()] }]) }).drafts.length, 1)
})

test('incidents of a version without an index are indexed', ON_FILES, (t) => {
  const rig = new StoreRig(t)
  const id = rig.spill({ title: 'old' })
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  db.exec("INSERT INTO search (search) VALUES ('delete-all'); UPDATE indexed SET through = 0")
  db.close()
  rig.reopen()
  assert.equal(rig.store.maintenance.index(10), 1)
  assert.equal(rig.store.incidents.list({ limit: 5, q: 'old' }).incidents[0]?.id, id)
})
