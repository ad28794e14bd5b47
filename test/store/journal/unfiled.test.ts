import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Draft, Submission } from '../../../src/domain/commit.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engine/schema.ts'
import { APPLIED_UP_TO } from '../../../src/store/journal/applied-up-to.ts'
import { draft, entriesFor, freshDir, START, StoreRig } from '../support.ts'

/** The version before the journal had files of its own. */
const BEFORE = MIGRATIONS.findIndex((sql) => sql.includes(APPLIED_UP_TO))
const many = (count: number) => Array.from({ length: count }, () => ({ drafts: [draft()] }))
const titles = ({ store }: StoreRig) => store.incidents.list({ limit: 100 }).incidents.map(({ title }) => title)

test('entries of an earlier version are applied before entries of the journal, under lower numbers', (t) => {
  const origin = { topic: 'arn', message: 'm', attributes: {} } as unknown as NonNullable<Submission['origin']>
  const asked = { drafts: [draft({ title: 'asked' })], overrides: { targets: { email: 'night' } }, origin }
  const rig = given(t, [many(2), [...many(1), asked]])
  assert.deepEqual([rig.store.journal.leftBehind(), rig.store.journal.progress().applied], [4, 4])
  const { leftBehindIncidents, unfinishedDeliveries } = rig.store.status.counters()
  assert.deepEqual([leftBehindIncidents, unfinishedDeliveries, rig.store.journal.progress().backlog], [4, 4, 4])
  const later = draft({ title: 'later' })
  rig.turn({ entries: entriesFor(rig.store, [{ drafts: [later] }]) })
  assert.deepEqual([rig.store.journal.leftBehind(), titles(rig).length], [0, 4], 'no entry is taken meanwhile')
  rig.turn({ entries: entriesFor(rig.store, [{ drafts: [later] }]) })
  assert.deepEqual(
    rig.claim('email').map(({ incident, target, mayDuplicate }) => [incident, target, mayDuplicate]),
    [
      [1, undefined, false],
      [2, undefined, false],
      [3, undefined, false],
      [4, 'night', false],
      [5, undefined, false],
    ],
  )
  assert.deepEqual(rig.detail(asked.drafts[0]?.id ?? '').topic, origin)
})

test('many entries are applied in several turns', (t) => {
  const rig = given(
    t,
    Array.from({ length: 300 }, () => many(1)),
  )
  const sizes: number[] = []
  while (rig.store.journal.leftBehind() > 0) sizes.push(rig.turn({}).drafts.length)
  assert.ok(sizes.length > 1 && sizes.length < 10, String(sizes))
  assert.equal(rig.store.status.counters().incidents, 300)
})

test('damaged entries go to quarantine; a start tries them again, under their numbers', (t) => {
  const [whole, short, lost] = [many(1), many(2), many(1)]
  const rig = given(t, [whole, short, lost, many(1)], (db) => {
    db.exec("UPDATE unfiled SET submissions = '[[null,' WHERE first = 1")
    db.exec('UPDATE contents SET bytes = zeroblob(1) WHERE first = 2')
    db.exec('DELETE FROM contents WHERE first = 4')
  })
  const { quarantined, drafts } = rig.turn({})
  assert.deepEqual(
    quarantined.map(({ first, last }) => [first, last]),
    [
      [1, 1],
      [2, 3],
      [4, 4],
    ],
  )
  assert.match(quarantined[0]?.error ?? '', /JSON/)
  assert.deepEqual([drafts.length, rig.store.status.counters().quarantinedIncidents], [1, 4])
  rig.store.close()
  const db = new DatabaseSync(`${rig.options.dataDir}/tocsin.db`)
  db.prepare('UPDATE quarantine SET submissions = ?, committed_at = ? WHERE first = 1').run(
    rowsOf(whole),
    START + 86_400_000,
  )
  db.close()
  rig.reopen()
  const { journal } = rig.store
  const retried = [1, 2, 3].map(() => {
    const next = journal.nextQuarantined()
    return next && [next.kind, journal.retry(next, [])?.drafts.length]
  })
  assert.deepEqual(retried, [
    ['rows', 1],
    ['rows', undefined],
    ['rows', undefined],
  ])
  assert.deepEqual([journal.nextQuarantined(), rig.store.status.counters().quarantinedIncidents], [undefined, 3])
  assert.equal(titles(rig)[1], whole[0]?.drafts[0]?.title)
  assert.equal(rig.store.outbox.nextDueAt('email'), START, 'a clock that was ahead does not hold it back')
})

test('numbers begin above all that an earlier version gave, in quarantine too', (t) => {
  const rig = given(t, [many(1), many(3)], (db) => {
    db.exec(`INSERT INTO quarantine (first, committed_at, submissions, fault) SELECT first, committed_at, '', '' FROM unfiled;
      DELETE FROM unfiled`)
  })
  assert.equal(rig.store.journal.progress().applied, 4)
  assert.equal(rig.store.status.counters().quarantinedIncidents, 4)
})

test('timers of entries of an earlier version move with a clock that was set', (t) => {
  const rig = given(t, [many(1)], undefined, { enable: true, waitMs: 60_000, provider: 'webhook' })
  rig.now -= 3_600_000
  rig.turn({ clockJumpMs: -3_600_000 })
  assert.equal(rig.store.outbox.nextDueAt('oncall'), rig.now + 60_000)
  assert.equal(rig.store.outbox.nextDueAt('email'), rig.now)
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
  rig.spill({ id: '01930000-0000-7000-8000-0000000000ff' })
  assert.deepEqual(titles(rig).slice(1), ['old 3', 'old 2', 'old 1'])
})

/** Opens a database in which an earlier version has left these batches unapplied. */
function given(
  t: TestContext,
  batches: readonly (readonly Submission[])[],
  damage: (db: DatabaseSync) => void = () => {},
  oncall?: StoreRig['options']['oncall'],
) {
  const dataDir = freshDir(t)
  const db = new DatabaseSync(`${dataDir}/tocsin.db`)
  migrate(db, MIGRATIONS.slice(0, BEFORE))
  const insert = db.prepare('INSERT INTO unfiled (first, committed_at, submissions) VALUES (?, ?, ?)')
  const contents = db.prepare('INSERT INTO contents (first, last, bytes) VALUES (?, ?, ?)')
  let next = 1
  for (const submissions of batches) {
    const drafts = submissions.flatMap((submission) => submission.drafts)
    insert.run(next, START, rowsOf(submissions))
    contents.run(next, next + drafts.length - 1, Buffer.concat(drafts.map(({ content }) => content)))
    next += drafts.length
  }
  damage(db)
  db.close()
  return new StoreRig(t, { dataDir, channels: ['email'], ...(oncall && { oncall }) })
}

/** The text that versions up to 1.4.0 stored. */
function rowsOf(submissions: readonly Submission[]): string {
  const row = (draft: Draft) => {
    const { id, source, createdAt, sender, title, service, severity, status, fingerprint, content } = draft
    return [id, source, createdAt, sender, title, service, severity, status, fingerprint, content.length]
  }
  return JSON.stringify(
    submissions.map(({ key, overrides, origin, drafts }) => [
      key ?? null,
      overrides ?? null,
      origin ?? null,
      drafts.map(row),
    ]),
  )
}
