import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Submission } from '../../../src/domain/commit.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engine/schema.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { Bench, commitAndApply, draft, freshDir, START } from '../support.ts'

const never = () => false

/** Commits and applies nothing. */
const append = ({ store }: Bench, submissions: readonly Submission[]) =>
  store.write(() => packSubmissions(submissions).map((packed) => store.journal.append(packed)))
const apply = ({ store }: Bench, incidents: number) => store.write(() => store.journal.apply(incidents, never))
const titles = ({ store }: Bench) => store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title)
const many = (count: number) => Array.from({ length: count }, () => ({ drafts: [draft()] }))

test('incidents are in no list until they are applied, and then in the order of commit', (t) => {
  const bench = new Bench(t)
  const [first, second, third] = many(3)
  assert(first && second && third)
  assert.deepEqual(append(bench, [first, second]), [undefined])
  append(bench, [third])
  assert.deepEqual(
    [titles(bench), bench.store.journal.unapplied(), bench.store.status.counters().incidents],
    [[], 3, 3],
  )
  const names = [first, second, third].map(({ drafts }) => drafts[0]?.title)
  assert.deepEqual(
    apply(bench, 1).drafts.map(({ title }) => title),
    names.slice(0, 2),
  )
  assert.deepEqual(
    apply(bench, 1).drafts.map(({ title }) => title),
    names.slice(2),
  )
  assert.deepEqual([titles(bench), bench.store.journal.unapplied()], [names.toReversed(), 0])
  assert.deepEqual(
    bench.claim('email').map(({ incident, content }) => [incident, JSON.parse(Buffer.from(content).toString())]),
    [first, second, third].map(({ drafts }, at) => [
      at + 1,
      JSON.parse(Buffer.from(drafts[0]?.content ?? '').toString()),
    ]),
  )
})

test('entries that a process left in the journal are applied by the next one', (t) => {
  const bench = new Bench(t)
  const origin = { topic: 'arn', message: 'm', attributes: {} } as unknown as NonNullable<Submission['origin']>
  const overrides = { targets: { email: 'night' } }
  append(bench, [...many(2), { drafts: [draft({ title: 'asked' })], overrides, origin }])
  bench.reopen()
  assert.deepEqual([bench.store.journal.unapplied(), bench.store.status.counters().unfinishedDeliveries], [3, 6])
  assert.equal(apply(bench, 100).drafts.length, 3)
  assert.equal(titles(bench)[0], 'asked')
  assert.deepEqual(
    bench.claim('email').map(({ target, mayDuplicate, attempt }) => [target, mayDuplicate, attempt]),
    [
      [undefined, false, 1],
      [undefined, false, 1],
      ['night', false, 1],
    ],
  )
  const id = bench.store.incidents.list({ limit: 1 }).incidents[0]?.id ?? ''
  assert.deepEqual(bench.detail(id).topic, origin)
})

test('unapplied incidents count against the quota', (t) => {
  const bench = new Bench(t, { channels: ['chatws', 'email'], maxBacklog: 6 })
  assert.deepEqual(append(bench, many(2)), [undefined])
  const refused = { kind: 'refused', code: 'backlog_full' }
  assert.deepEqual(append(bench, many(3)), [[{ kind: 'created' }, refused, refused]])
  assert.equal(bench.store.status.counters().unfinishedDeliveries, 6)
  apply(bench, 100)
  assert.equal(bench.store.status.counters().unfinishedDeliveries, 6)
  assert.equal(titles(bench).length, 3)
})

test('a key is used once, within one commit and across commits', (t) => {
  const bench = new Bench(t)
  const keyed = (key: string) => ({ drafts: [draft()], key })
  const first = keyed('k')
  const id = first.drafts[0]?.id
  assert.deepEqual(append(bench, [first, keyed('k'), keyed('other')]), [
    [{ kind: 'created' }, { kind: 'duplicate', id }, { kind: 'created' }],
  ])
  assert.deepEqual(append(bench, [keyed('k')]), [[{ kind: 'duplicate', id }]])
  apply(bench, 100)
  assert.equal(titles(bench).length, 2)
})

test('a commit that fails leaves nothing, and its numbers are used again', (t) => {
  const bench = new Bench(t)
  const lost = draft({ content: Buffer.from('{"lost":true}') })
  assert.throws(() =>
    bench.store.write(() => {
      commitAndApply(bench.store, { drafts: [lost] }, never)
      for (const packed of packSubmissions([{ drafts: [draft()] }])) bench.store.journal.append(packed)
      bench.store.outbox.claim('email', { slots: 9, maxBytes: 99_999 })
      throw new Error('undone')
    }),
  )
  assert.deepEqual(
    [titles(bench), bench.store.journal.unapplied(), bench.store.status.counters().incidents],
    [[], 0, 0],
  )
  const kept = draft({ content: Buffer.from('{"kept":true}') })
  bench.commit({ drafts: [kept] })
  assert.deepEqual(bench.detail(kept.id).content, { kept: true })
  assert.equal(Buffer.from(bench.claim('email')[0]?.content ?? '').toString(), '{"kept":true}')
})

test('the payloads of a batch stay until the last of its incidents is deleted', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxIncidents: 0 })
  append(bench, many(3))
  apply(bench, 3)
  const [first, second, third] = bench.claim('email')
  assert(first && second && third)
  const finish = (dispatch: typeof first) => {
    bench.settle(dispatch, { state: 'sent' })
    return bench.store.write(() => bench.store.maintenance.prune(100))
  }
  const lastId = third.id
  assert.deepEqual([finish(first), finish(second)], [1, 1])
  assert.equal(bench.detail(lastId).title, third.title)
  assert.equal(finish(third), 1)
  bench.store.close()
  const db = new DatabaseSync(`${bench.options.dataDir}/tocsin.db`, { readOnly: true })
  assert.equal(db.prepare('SELECT count(*) AS rows FROM contents').get()?.rows, 0)
  db.close()
})

test('incidents that finish at once and that newer ones push out are not inserted at all', (t) => {
  const bench = new Bench(t, { channels: [], maxIncidents: 3 })
  bench.spill()
  const names = many(6).map((submission) => {
    append(bench, [submission])
    return submission.drafts[0]?.title
  })
  assert.deepEqual(
    apply(bench, 100).drafts.map(({ title }) => title),
    names,
  )
  bench.store.write(() => bench.store.maintenance.prune(100))
  assert.deepEqual([titles(bench), bench.store.journal.unapplied()], [names.slice(3).reverse(), 0])
  assert.equal(bench.store.status.counters().incidents, 3)
  bench.reopen()
  assert.deepEqual(titles(bench), names.slice(3).reverse())
})

const PAGING = { enable: true, waitMs: 60_000, provider: 'webhook' } as const

test('unapplied incidents move with a clock that was set', (t) => {
  const bench = new Bench(t, { channels: ['email'], oncall: PAGING })
  append(bench, many(1))
  bench.now -= 3_600_000
  bench.store.write(() => bench.store.oncall.shift(-3_600_000))
  apply(bench, 1)
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
  assert.equal(bench.store.outbox.nextDueAt('email'), bench.now)
})

test('a timer of an incident that was committed before the clock was set back runs no longer than it should', (t) => {
  const bench = new Bench(t, { channels: ['email'], oncall: PAGING })
  append(bench, many(1))
  bench.now -= 3_600_000
  bench.reopen()
  apply(bench, 1)
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
  assert.equal(bench.store.outbox.nextDueAt('email'), bench.now)
})

test('pages of unapplied incidents exceed the quota by at most one commit', (t) => {
  const bench = new Bench(t, { channels: [], oncall: PAGING, maxBacklog: 6 })
  const turn = () => {
    const results = append(bench, many(4))
    apply(bench, 0)
    return results[0] === undefined
  }
  assert.deepEqual([turn(), bench.store.journal.unapplied()], [true, 4])
  assert.deepEqual([turn(), bench.store.journal.unapplied()], [true, 0])
  assert.deepEqual([turn(), bench.store.oncall.counters().armed], [false, 8])
})

test('a database of a version with one row for each payload is migrated', (t) => {
  const dataDir = freshDir(t)
  const db = new DatabaseSync(`${dataDir}/tocsin.db`)
  const before = MIGRATIONS.findIndex((sql) => sql.includes('DROP TABLE payloads'))
  migrate(db, MIGRATIONS.slice(0, before))
  const incident = db.prepare(
    `INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint, channels_enabled)
     VALUES (?, ?, ${START}, ${START}, 'webhook', 'custom', ?, 's', '', 'firing', 'f', 64)`,
  )
  const payload = db.prepare('INSERT INTO payloads (seq, content, overrides) VALUES (?, ?, ?)')
  const ids = [1, 2, 3].map((seq) => `01930000-0000-7000-8000-00000000000${seq}`)
  for (const [at, id] of ids.entries()) {
    incident.run(at + 1, id, `old ${at + 1}`)
    payload.run(at + 1, Buffer.from(JSON.stringify({ n: at + 1 })), at === 1 ? '{"targets":{}}' : null)
  }
  db.close()
  const bench = new Bench(t, { dataDir })
  assert.deepEqual(
    ids.map((id) => bench.detail(id).content),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  )
  bench.spill()
  assert.deepEqual(titles(bench).slice(1), ['old 3', 'old 2', 'old 1'])
})
