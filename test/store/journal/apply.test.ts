import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Submission } from '../../../src/domain/commit.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engine/schema.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { Bench, commitAndApply, draft, freshDir, START } from '../support.ts'

const never = () => false

/** Commits, and files nothing. */
const admit = ({ store }: Bench, submissions: readonly Submission[]) =>
  store.write(() => packSubmissions(submissions).map((packed) => store.journal.append(packed)))
const file = ({ store }: Bench, incidents: number) => store.write(() => store.journal.apply(incidents, never))
const titles = ({ store }: Bench) => store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title)
const many = (count: number) => Array.from({ length: count }, () => ({ drafts: [draft()] }))

test('what is committed is in no list until it is filed, and then in the order of commit', (t) => {
  const bench = new Bench(t)
  const [first, second, third] = many(3)
  assert(first && second && third)
  assert.deepEqual(admit(bench, [first, second]), [undefined])
  admit(bench, [third])
  assert.deepEqual(
    [titles(bench), bench.store.journal.unapplied(), bench.store.status.counters().incidents],
    [[], 3, 3],
  )
  const names = [first, second, third].map(({ drafts }) => drafts[0]?.title)
  assert.deepEqual(
    file(bench, 1).drafts.map(({ title }) => title),
    names.slice(0, 2),
  )
  assert.deepEqual(
    file(bench, 1).drafts.map(({ title }) => title),
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

test('what a process committed and did not file is filed by the next one', (t) => {
  const bench = new Bench(t)
  const origin = { topic: 'arn', message: 'm', attributes: {} } as unknown as NonNullable<Submission['origin']>
  const overrides = { targets: { email: 'night' } }
  admit(bench, [...many(2), { drafts: [draft({ title: 'asked' })], overrides, origin }])
  bench.reopen()
  assert.deepEqual([bench.store.journal.unapplied(), bench.store.status.counters().unfinishedDeliveries], [3, 6])
  assert.equal(file(bench, 100).drafts.length, 3)
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

test('what is committed and not filed counts against the quota', (t) => {
  const bench = new Bench(t, { channels: ['chatws', 'email'], maxBacklog: 6 })
  assert.deepEqual(admit(bench, many(2)), [undefined])
  const refused = { kind: 'refused', code: 'backlog_full' }
  assert.deepEqual(admit(bench, many(3)), [[{ kind: 'created' }, refused, refused]])
  assert.equal(bench.store.status.counters().unfinishedDeliveries, 6)
  file(bench, 100)
  assert.equal(bench.store.status.counters().unfinishedDeliveries, 6)
  assert.equal(titles(bench).length, 3)
})

test('a key is used once, within one commit and across commits', (t) => {
  const bench = new Bench(t)
  const keyed = (key: string) => ({ drafts: [draft()], key })
  const first = keyed('k')
  const id = first.drafts[0]?.id
  assert.deepEqual(admit(bench, [first, keyed('k'), keyed('other')]), [
    [{ kind: 'created' }, { kind: 'duplicate', id }, { kind: 'created' }],
  ])
  assert.deepEqual(admit(bench, [keyed('k')]), [[{ kind: 'duplicate', id }]])
  file(bench, 100)
  assert.equal(titles(bench).length, 2)
})

test('a commit that fails leaves nothing, and its numbers are given anew', (t) => {
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

test('payloads that were committed together stay until the last of their incidents goes', (t) => {
  const bench = new Bench(t, { channels: ['email'], maxIncidents: 0 })
  admit(bench, many(3))
  file(bench, 3)
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

test('where nothing is to be told of an incident, those that newer ones push out are not filed to be deleted', (t) => {
  const bench = new Bench(t, { channels: [], maxIncidents: 3 })
  bench.spill()
  const names = many(6).map((submission) => {
    admit(bench, [submission])
    return submission.drafts[0]?.title
  })
  assert.deepEqual(
    file(bench, 100).drafts.map(({ title }) => title),
    names,
  )
  bench.store.write(() => bench.store.maintenance.prune(100))
  assert.deepEqual([titles(bench), bench.store.journal.unapplied()], [names.slice(3).reverse(), 0])
  assert.equal(bench.store.status.counters().incidents, 3)
  bench.reopen()
  assert.deepEqual(titles(bench), names.slice(3).reverse())
})

const PAGING = { enable: true, waitMs: 60_000, provider: 'webhook' } as const

test('what is not filed yet moves with the clock that was set', (t) => {
  const bench = new Bench(t, { channels: ['email'], oncall: PAGING })
  admit(bench, many(1))
  bench.now -= 3_600_000
  bench.store.write(() => bench.store.oncall.shift(-3_600_000))
  file(bench, 1)
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
  assert.equal(bench.store.outbox.nextDueAt('email'), bench.now)
})

test('what was committed by a clock that is set back since waits no longer than it was to wait', (t) => {
  const bench = new Bench(t, { channels: ['email'], oncall: PAGING })
  admit(bench, many(1))
  bench.now -= 3_600_000
  bench.reopen()
  file(bench, 1)
  assert.equal(bench.store.oncall.nextDueAt(), bench.now + 60_000)
  assert.equal(bench.store.outbox.nextDueAt('email'), bench.now)
})

test('pages of what is not filed cannot pass the quota by more than one commit', (t) => {
  const bench = new Bench(t, { channels: [], oncall: PAGING, maxBacklog: 6 })
  const turn = () => {
    const results = admit(bench, many(4))
    file(bench, 0)
    return results[0] === undefined
  }
  assert.deepEqual([turn(), bench.store.journal.unapplied()], [true, 4])
  assert.deepEqual([turn(), bench.store.journal.unapplied()], [true, 0])
  assert.deepEqual([turn(), bench.store.oncall.counters().armed], [false, 8])
})

test('a database from before payloads lay together is brought up to it', (t) => {
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
