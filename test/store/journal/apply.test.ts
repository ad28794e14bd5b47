import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Submission } from '../../../src/domain/commit.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engine/schema.ts'
import { packSubmissions } from '../../../src/store/journal/codec.ts'
import { commitAndApply, draft, freshDir, START, StoreRig } from '../support.ts'

const never = () => false

/** Commits and applies nothing. */
const append = ({ store }: StoreRig, submissions: readonly Submission[]) =>
  store.write(() => packSubmissions(submissions).map((packed) => store.journal.append(packed)))
const apply = ({ store }: StoreRig, incidents: number) => store.write(() => store.journal.apply(incidents, never))
const titles = ({ store }: StoreRig) => store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title)
const many = (count: number) => Array.from({ length: count }, () => ({ drafts: [draft()] }))

test('incidents are in no list until they are applied, and then in the order of commit', (t) => {
  const rig = new StoreRig(t)
  const [first, second, third] = many(3)
  assert(first && second && third)
  assert.deepEqual(append(rig, [first, second]), [undefined])
  append(rig, [third])
  assert.deepEqual([titles(rig), rig.store.journal.unapplied(), rig.store.status.counters().incidents], [[], 3, 3])
  const names = [first, second, third].map(({ drafts }) => drafts[0]?.title)
  assert.deepEqual(
    apply(rig, 1).drafts.map(({ title }) => title),
    names.slice(0, 2),
  )
  assert.deepEqual(
    apply(rig, 1).drafts.map(({ title }) => title),
    names.slice(2),
  )
  assert.deepEqual([titles(rig), rig.store.journal.unapplied()], [names.toReversed(), 0])
  assert.deepEqual(
    rig.claim('email').map(({ incident, content }) => [incident, JSON.parse(Buffer.from(content).toString())]),
    [first, second, third].map(({ drafts }, at) => [
      at + 1,
      JSON.parse(Buffer.from(drafts[0]?.content ?? '').toString()),
    ]),
  )
})

test('entries that a process left in the journal are applied by the next one', (t) => {
  const rig = new StoreRig(t)
  const origin = { topic: 'arn', message: 'm', attributes: {} } as unknown as NonNullable<Submission['origin']>
  const overrides = { targets: { email: 'night' } }
  append(rig, [...many(2), { drafts: [draft({ title: 'asked' })], overrides, origin }])
  rig.reopen()
  assert.deepEqual([rig.store.journal.unapplied(), rig.store.status.counters().unfinishedDeliveries], [3, 6])
  assert.equal(apply(rig, 100).drafts.length, 3)
  assert.equal(titles(rig)[0], 'asked')
  assert.deepEqual(
    rig.claim('email').map(({ target, mayDuplicate, attempt }) => [target, mayDuplicate, attempt]),
    [
      [undefined, false, 1],
      [undefined, false, 1],
      ['night', false, 1],
    ],
  )
  const id = rig.store.incidents.list({ limit: 1 }).incidents[0]?.id ?? ''
  assert.deepEqual(rig.detail(id).topic, origin)
})

test('unapplied incidents count against the quota', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws', 'email'], maxBacklog: 6 })
  assert.deepEqual(append(rig, many(2)), [undefined])
  const refused = { kind: 'refused', code: 'backlog_full' }
  assert.deepEqual(append(rig, many(3)), [[{ kind: 'created' }, refused, refused]])
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 6)
  apply(rig, 100)
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 6)
  assert.equal(titles(rig).length, 3)
})

test('a key is used once, within one commit and across commits', (t) => {
  const rig = new StoreRig(t)
  const keyed = (key: string) => ({ drafts: [draft()], key })
  const first = keyed('k')
  const id = first.drafts[0]?.id
  assert.deepEqual(append(rig, [first, keyed('k'), keyed('other')]), [
    [{ kind: 'created' }, { kind: 'duplicate', id }, { kind: 'created' }],
  ])
  assert.deepEqual(append(rig, [keyed('k')]), [[{ kind: 'duplicate', id }]])
  apply(rig, 100)
  assert.equal(titles(rig).length, 2)
})

test('a commit that fails leaves nothing, and its numbers are used again', (t) => {
  const rig = new StoreRig(t)
  const lost = draft({ content: Buffer.from('{"lost":true}') })
  assert.throws(() =>
    rig.store.write(() => {
      commitAndApply(rig.store, { drafts: [lost] }, never)
      for (const packed of packSubmissions([{ drafts: [draft()] }])) rig.store.journal.append(packed)
      rig.store.outbox.claim(new Map([['email', { slots: 9, maxBytes: 99_999 }]]))
      throw new Error('undone')
    }),
  )
  assert.deepEqual([titles(rig), rig.store.journal.unapplied(), rig.store.status.counters().incidents], [[], 0, 0])
  const kept = draft({ content: Buffer.from('{"kept":true}') })
  rig.commit({ drafts: [kept] })
  assert.deepEqual(rig.detail(kept.id).content, { kept: true })
  assert.equal(Buffer.from(rig.claim('email')[0]?.content ?? '').toString(), '{"kept":true}')
})

test('the payloads of a batch stay until the last of its incidents is deleted', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], maxIncidents: 0 })
  append(rig, many(3))
  apply(rig, 3)
  const [first, second, third] = rig.claim('email')
  assert(first && second && third)
  const finish = (dispatch: typeof first) => {
    rig.settle(dispatch, { state: 'sent' })
    return rig.store.write(() => rig.store.maintenance.prune(100))
  }
  const lastId = third.id
  assert.deepEqual([finish(first), finish(second)], [1, 1])
  assert.equal(rig.detail(lastId).title, third.title)
  assert.equal(finish(third), 1)
  rig.store.close()
  const db = new DatabaseSync(`${rig.options.dataDir}/tocsin.db`, { readOnly: true })
  assert.equal(db.prepare('SELECT count(*) AS rows FROM contents').get()?.rows, 0)
  db.close()
})

test('incidents that finish at once and that newer ones push out are not inserted at all', (t) => {
  const rig = new StoreRig(t, { channels: [], maxIncidents: 3 })
  rig.spill()
  const names = many(6).map((submission) => {
    append(rig, [submission])
    return submission.drafts[0]?.title
  })
  assert.deepEqual(
    apply(rig, 100).drafts.map(({ title }) => title),
    names,
  )
  rig.store.write(() => rig.store.maintenance.prune(100))
  assert.deepEqual([titles(rig), rig.store.journal.unapplied()], [names.slice(3).reverse(), 0])
  assert.equal(rig.store.status.counters().incidents, 3)
  rig.reopen()
  assert.deepEqual(titles(rig), names.slice(3).reverse())
})

const PAGING = { enable: true, waitMs: 60_000, provider: 'webhook' } as const

test('unapplied incidents move with a clock that was set', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], oncall: PAGING })
  append(rig, many(1))
  rig.now -= 3_600_000
  rig.store.write(() => rig.store.oncall.shift(-3_600_000))
  apply(rig, 1)
  assert.equal(rig.store.outbox.nextDueAt('oncall'), rig.now + 60_000)
  assert.equal(rig.store.outbox.nextDueAt('email'), rig.now)
})

test('a timer of an incident that was committed before the clock was set back runs no longer than it should', (t) => {
  const rig = new StoreRig(t, { channels: ['email'], oncall: PAGING })
  append(rig, many(1))
  rig.now -= 3_600_000
  rig.reopen()
  apply(rig, 1)
  assert.equal(rig.store.outbox.nextDueAt('oncall'), rig.now + 60_000)
  assert.equal(rig.store.outbox.nextDueAt('email'), rig.now)
})

test('pages of unapplied incidents exceed the quota by at most one commit', (t) => {
  const rig = new StoreRig(t, { channels: [], oncall: PAGING, maxBacklog: 6 })
  const turn = () => {
    const results = append(rig, many(4))
    apply(rig, 0)
    return results[0] === undefined
  }
  assert.deepEqual([turn(), rig.store.journal.unapplied()], [true, 4])
  assert.deepEqual([turn(), rig.store.journal.unapplied()], [true, 0])
  assert.deepEqual([turn(), rig.store.oncall.counters().armed], [false, 8])
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
  const rig = new StoreRig(t, { dataDir })
  assert.deepEqual(
    ids.map((id) => rig.detail(id).content),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  )
  rig.spill()
  assert.deepEqual(titles(rig).slice(1), ['old 3', 'old 2', 'old 1'])
})
