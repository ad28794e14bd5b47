import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { SQLITE_MIGRATIONS } from '../../../src/store/schema/sqlite.ts'
import { BriefRig, briefRules, sectionsOf } from './rig.ts'

const MINUTE = 60_000

test('each time that a problem fired is kept, with its length, its end and who acknowledged it', async (t) => {
  const rig = new BriefRig(t)
  const first = rig.arrive({ fingerprint: 'disk' })
  rig.store.problems.acknowledge(1, 'Ada')
  rig.arrive({ fingerprint: 'disk' })
  rig.arrive({ fingerprint: 'disk', status: 'resolved' })
  rig.arrive({ fingerprint: 'disk' })
  const brief = await sectionsOf(rig.store, 1)
  const { openings = [], ...sums } = brief?.before ?? {}
  const length = 122_000
  assert.deepEqual(sums, { count: 1, days: 30, shortest_ms: length, median_ms: length, longest_ms: length })
  assert.equal(brief?.problem?.opening, 4)
  const [one] = openings
  assert.deepEqual(
    { ...one, opened_at: undefined, ended_at: undefined },
    { id: 1, opened_at: undefined, ended_at: undefined, ended_by: 'sender', acked_by: 'Ada', incident: first },
  )
  assert.equal(Date.parse(one?.ended_at ?? '') - Date.parse(one?.opened_at ?? ''), length)
})

test('an earlier time has the brief of then', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk', title: 'Disk is full' })
  rig.arrive({ fingerprint: 'disk', status: 'resolved' })
  rig.arrive({ fingerprint: 'disk', title: 'Disk is nearly full' })
  const then = await sectionsOf(rig.store, 1, 1)
  assert.deepEqual([then?.problem?.title, then?.problem?.state, then?.before?.count], ['Disk is full', 'resolved', 0])
  assert.equal(await sectionsOf(rig.store, 1, 2), undefined)
  assert.equal(await sectionsOf(rig.store, 2), undefined)
})

test('times that a problem fired between two writes of it end where the next one begins', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk' })
  for (const status of ['resolved', 'firing', 'resolved', 'firing'] as const) rig.spill({ fingerprint: 'disk', status })
  rig.now += MINUTE
  rig.turn({})
  const before = (await sectionsOf(rig.store, 1))?.before
  assert.equal(before?.count, 1)
  assert.equal(before?.openings[0]?.ended_by, null)
  assert.notEqual(before?.openings[0]?.ended_at, null)
})

test('no more than the configured number is kept, and those that ended go first', async (t) => {
  const rig = new BriefRig(t, 3)
  rig.arrive({ fingerprint: 'long' })
  for (let nth = 0; nth < 4; nth++) {
    rig.arrive({ fingerprint: 'disk' })
    rig.arrive({ fingerprint: 'disk', status: 'resolved' })
  }
  assert.equal(rig.store.brief?.stored(), 5)
  rig.store.maintenance.prune(256)
  assert.equal(rig.store.brief?.stored(), 3)
  assert.equal((await sectionsOf(rig.store, 1))?.problem?.opening, 1)
  for (const fingerprint of ['a', 'b', 'c']) rig.arrive({ fingerprint })
  rig.store.maintenance.prune(256)
  assert.equal(rig.store.brief?.stored(), 3)
})

test('a store that kept no history for a while brings it in line with its problems', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'ends' })
  rig.reopen({ brief: undefined as never })
  rig.arrive({ fingerprint: 'ends', status: 'resolved' })
  const endedBefore = rig.now
  rig.arrive({ fingerprint: 'begins' })
  rig.reopen({ brief: briefRules() })
  assert.equal(rig.store.brief?.stored(), 2)
  const began = await sectionsOf(rig.store, 3)
  assert.equal(began?.problem?.opening, 3)
  const ended = await sectionsOf(rig.store, 1, 1)
  assert.equal(ended?.problem?.state, 'resolved')
  // Not at the time of the start.
  assert.ok(Date.parse(ended?.problem?.since ?? '') <= endedBefore)
  rig.arrive({ fingerprint: 'ends' })
  assert.equal((await sectionsOf(rig.store, 1))?.before?.openings[0]?.ended_by, 'sender')
})

test('what the disk refuses leaves no trace in memory', (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk' })
  rig.spill({ fingerprint: 'other' })
  rig.now += MINUTE
  rig.failingAtCommit(() => assert.throws(() => rig.turn({})))
  assert.equal(rig.store.brief?.stored(), 1)
  rig.turn({})
  assert.equal(rig.store.brief?.stored(), 2)
  rig.reopen()
  assert.equal(rig.store.brief?.stored(), 2)
})

test('problems with alike words and labels are similar once these are read', async (t) => {
  const rig = new BriefRig(t)
  const content = (pod: string) =>
    Buffer.from(JSON.stringify({ alerts: [{ labels: { alertname: 'CardDeclines', team: 'pay', pod } }] }))
  rig.arrive({ fingerprint: 'a', title: 'Card declines in Berlin', content: content('1') })
  rig.arrive({ fingerprint: 'a', status: 'resolved' })
  rig.arrive({ fingerprint: 'b', title: 'Card declines in Berlin', content: content('2') })
  rig.arrive({ fingerprint: 'c', title: 'Disk of the archive is full', service: 'store' })
  rig.arrive({ fingerprint: 'd', title: 'Queue of mails grows', service: 'mail' })
  assert.deepEqual((await sectionsOf(rig.store, 3))?.similar, [])
  assert.equal(rig.store.brief?.readWords(64), 4)
  assert.equal(rig.store.brief?.readWords(64), 0)
  rig.store.brief?.addNote({ problem: 1, by: 'Ada', text: 'the bank was down' })
  const brief = await sectionsOf(rig.store, 3)
  assert.deepEqual(
    brief?.similar?.map(({ problem, count, opening }) => [problem, count, opening]),
    [[1, 1, 1]],
  )
  assert.deepEqual(
    brief?.notes?.map(({ problem, by, text }) => [problem, by, text]),
    [[1, 'Ada', 'the bank was down']],
  )
})

test('what fires beside a problem is nearby: of its service, and in numbers of others', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'old', title: 'Old' })
  rig.now += 60 * MINUTE
  rig.arrive({ fingerprint: 'x', service: 'db' })
  rig.arrive({ fingerprint: 'y', service: 'db' })
  rig.arrive({ fingerprint: 'near', title: 'Near' })
  rig.arrive({ fingerprint: 'asked' })
  rig.arrive({ fingerprint: 'none', service: '' })
  const nearby = (await sectionsOf(rig.store, 5))?.nearby
  assert.deepEqual(
    nearby?.openings.map(({ title }) => title),
    ['Near', 'Old'],
  )
  assert.deepEqual(nearby?.services, [
    { service: 'db', count: 2 },
    { service: '', count: 1 },
  ])
  assert.equal((await sectionsOf(rig.store, 6))?.nearby, null)
})

test('changes of the service, or of all, stand from 2 hours before to 10 minutes after', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk' })
  const openedAt = rig.now - 1_000
  const add = (summary: string, at: number, service = 'pay', key: string | null = null) =>
    rig.store.brief?.addChange({ key, at, service, kind: 'deploy', summary, link: '' })
  add('late', openedAt + 11 * MINUTE)
  add('early', openedAt - 121 * MINUTE)
  add('all', openedAt - 2 * MINUTE, '')
  add('other', openedAt, 'db')
  assert.deepEqual(add('own', openedAt + MINUTE, 'pay', 'k'), { id: 5, isNew: true })
  assert.deepEqual(add('again', openedAt, 'pay', 'k'), { id: 5, isNew: false })
  assert.deepEqual(
    (await sectionsOf(rig.store, 1))?.changes?.map(({ summary }) => summary),
    ['own', 'all'],
  )
  for (let nth = 0; nth < 250; nth++) add(`other ${nth}`, openedAt + 2 * MINUTE, 'db')
  assert.deepEqual(
    (await sectionsOf(rig.store, 1))?.changes?.map(({ summary }) => summary),
    ['own', 'all'],
  )
  rig.now += 31 * 24 * 60 * MINUTE
  rig.store.maintenance.prune(256)
  assert.deepEqual(rig.store.brief?.changes(), [])
})

test('a problem has its newest 50 notes, and a brief shows 6 of them, cut', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk' })
  for (let nth = 1; nth <= 52; nth++)
    rig.store.brief?.addNote({ problem: 1, by: 'Ada', text: `${nth} ${'x'.repeat(500)}` })
  const notes = rig.store.brief?.notes(1) ?? []
  assert.deepEqual([notes.length, notes[0]?.id, notes.at(-1)?.id], [50, 52, 3])
  const shown = (await sectionsOf(rig.store, 1))?.notes ?? []
  assert.deepEqual([shown.length, shown[0]?.text.length], [6, 280])
  assert.equal(rig.store.brief?.removeNote(52), true)
  assert.equal(rig.store.brief?.removeNote(52), false)
  assert.equal(rig.store.brief?.addNote({ problem: 7, by: 'Ada', text: 'no' }), undefined)
})

test('the same data at the same time give the same brief, also after a restart', async (t) => {
  const rig = new BriefRig(t)
  for (const fingerprint of ['a', 'b', 'c']) rig.arrive({ fingerprint, title: `Card declines in Berlin` })
  rig.store.brief?.readWords(64)
  const one = JSON.stringify(await sectionsOf(rig.store, 2))
  rig.reopen()
  assert.equal(JSON.stringify(await sectionsOf(rig.store, 2)), one)
})

test('a clock that was set back gives no negative length', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'disk' })
  rig.now -= 60 * MINUTE
  rig.turn({ clockJumpMs: -60 * MINUTE })
  rig.arrive({ fingerprint: 'disk', status: 'resolved' })
  rig.arrive({ fingerprint: 'disk' })
  assert.ok(((await sectionsOf(rig.store, 1))?.before?.shortest_ms ?? -1) >= 0)
})

test('the tables of an earlier version give one opening for each problem that fired', (t) => {
  const db = new DatabaseSync(':memory:')
  t.after(() => db.close())
  migrate(db, SQLITE_MIGRATIONS.slice(0, 3))
  const add =
    db.prepare(`INSERT INTO problems (id, fingerprint, state, brief, last_at, since, opened_at, opening, first_at, firing,
    level, flap_at, title, service, severity, sender, source, last_incident, last_id)
    VALUES (?, ?, ?, 0, 20, 20, 10, ?, 1, ?, 0, 1, 'Disk', 'db', 'high', 'custom', 'webhook', 9, 'id')`)
  add.run(1, 'fires', 0, 4, 2)
  add.run(2, 'over', 1, 5, 1)
  add.run(3, 'never', 1, 6, 0)
  migrate(db)
  const rows = db.prepare('SELECT id, problem, fingerprint, opened_at, ended_at FROM openings ORDER BY id').all()
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { id: 4, problem: 1, fingerprint: 'fires', opened_at: 10, ended_at: null },
      { id: 5, problem: 2, fingerprint: 'over', opened_at: 10, ended_at: 20 },
    ],
  )
})
