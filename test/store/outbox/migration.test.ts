import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Dispatch } from '../../../src/domain/dispatch.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engine/schema.ts'
import { freshDir, START, StoreRig } from '../support.ts'

const FOUR_QUEUES = MIGRATIONS.findIndex((sql) => sql.includes('DROP TABLE deliveries'))
const POLICY = { enable: true, waitMs: 60_000, provider: 'webhook' }
const idOf = (seq: number) => `01930000-0000-7000-8000-${String(seq).padStart(12, '0')}`

/** A database with four queues, each with rows in every state. Channels: 0 chatws, 5 email; 31: pages. */
function databaseWithFourQueues(t: TestContext): string {
  const dataDir = freshDir(t)
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'))
  migrate(db, MIGRATIONS.slice(0, FOUR_QUEUES))
  for (let seq = 1; seq <= 11; seq++)
    db.exec(`INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint,
      channels_enabled, notify_status, oncall_open, content_bytes)
      VALUES (${seq}, '${idOf(seq)}', ${START}, ${START}, 'webhook', 'custom', 'incident ${seq}', 's', 'high', 'firing', 'f${seq}',
      33, ${seq <= 5 ? 0 : 1}, ${seq >= 6 && seq <= 9 ? 1 : 0}, 2);
      INSERT INTO contents (first, last, bytes) VALUES (${seq}, ${seq}, x'7b7d')`)
  const [due, later] = [START - 10, START + 5_000]
  db.exec(`
    INSERT INTO deliveries (incident, channel, state, attempts, earlier_attempts, next_attempt_at, target, may_duplicate, message_id, dead_reason) VALUES
      (1, 0, 0, 0, 0, ${due}, NULL, 0, NULL, NULL),
      (1, 5, 0, 2, 3, ${later}, 'night', 1, 'm1', NULL),
      (2, 0, 1, 1, 0, ${due}, 'day', 0, NULL, NULL),
      (2, 5, 1, 0, 0, ${due}, NULL, 1, NULL, NULL),
      (3, 0, 2, 1, 0, NULL, NULL, 0, 'm3', NULL),
      (3, 5, 3, 9, 1, NULL, 'night', 1, NULL, 'is_archived'),
      (4, 0, 4, 0, 0, NULL, NULL, 0, NULL, NULL),
      (4, 5, 0, 0, 0, ${due + 1}, NULL, 0, NULL, NULL);
    INSERT INTO notices (id, about, via, state, due_at, first_at, attempts, may_duplicate, ended_at) VALUES
      (1, 0, 5, 2, ${due}, ${START - 9_000_000}, 1, 0, ${START - 8_000_000}),
      (2, 5, 0, 3, ${due}, ${START - 7_000_000}, 20, 1, ${START - 6_000_000}),
      (3, 6, NULL, 4, ${due}, NULL, 0, 0, ${START - 5_000_000}),
      (4, 0, NULL, 0, ${later}, NULL, 0, 0, NULL),
      (5, 5, 0, 1, ${due}, ${START - 50}, 4, 0, NULL),
      (6, 31, 0, 0, ${later}, ${START - 40}, 2, 1, NULL);
    INSERT INTO follow_ups (id, incident, channel, target, reply_to, word, person, raised_at, state, due_at, attempts, may_duplicate) VALUES
      (1, 3, 0, NULL, 'm3', 'acknowledged', 'Ada', ${START - 100}, 0, ${due}, 0, 0),
      (2, 3, 0, 'night', 'm4', 'resolved', 'Bob', ${START - 50}, 0, ${later}, 3, 1),
      (5, 3, 5, NULL, 'm5', 'acknowledged', 'Ada', ${START - 100}, 1, ${due}, 1, 0);
    INSERT INTO oncall (incident, fingerprint, phase, heard, signal, under_way, attempts, next_at, due_at, wait_ms, paged_at, provider) VALUES
      (6, 'f6', 0, 0, 0, 0, 0, ${START + 60_000}, ${START + 60_000}, 60000, NULL, NULL),
      (7, 'f7', 1, 0, 0, 1, 2, ${due}, ${due}, 60000, NULL, NULL),
      (8, 'f8', 4, 2, 1, 0, 1, ${later}, ${due}, 60000, ${due}, 'webhook'),
      (9, 'f9', 5, 1, 2, 0, 0, ${due}, ${due}, 60000, ${due}, 'webhook'),
      (10, 'f10', 2, 2, NULL, 0, 0, NULL, ${due}, 60000, ${due}, 'webhook'),
      (11, 'f11', 6, 0, NULL, 0, 0, NULL, ${due}, 60000, NULL, NULL);
    INSERT INTO attempts (incident, channel, number, started_at, duration_ms, outcome, detail, may_duplicate, render_ms, limiter_wait_ms) VALUES
      (3, 0, 1, ${START}, 5, 'sent', '', 0, 0, 0), (3, 5, 10, ${START}, 5, 'failed', 'is_archived', 0, 0, 0), (-5, 0, 1, ${START}, 5, 'retry', 'no', 0, 0, 0)`)
  db.close()
  return dataDir
}

const opened = (t: TestContext, dataDir: string) =>
  new StoreRig(t, { dataDir, threadedChannels: ['chatws', 'email'], oncall: POLICY })

test('the rows of the four earlier queues are dispatches in the same states; what was leased may duplicate', (t) => {
  const rig = opened(t, databaseWithFourQueues(t))
  rig.store.close()
  const db = new DatabaseSync(join(rig.options.dataDir, 'tocsin.db'))
  t.after(() => db.close())
  const rows = db.prepare(
    `SELECT incident || ' ' || destination || ' ' || number || ': ' || concat_ws(' ', state, attempts, earlier_attempts, due_at - ${START},
       target, iif(may_duplicate, 'may duplicate', NULL), message_id, dead_reason, detail) AS row FROM dispatches WHERE kind = ?
     ORDER BY incident, destination, number`,
  )
  const of = (kind: number) => rows.all(kind).map(({ row }) => row)
  assert.deepEqual(of(0), [
    '1 0 0: 0 0 0 -10',
    '1 42 0: 0 2 3 5000 night may duplicate m1',
    '2 5 0: 0 0 0 -10 may duplicate',
    '2 40 0: 0 1 0 -10 day may duplicate',
    '3 0 0: 2 1 0 m3',
    '3 42 0: 3 9 1 night may duplicate is_archived',
    '4 0 0: 4 0 0',
    '4 5 0: 0 0 0 -9',
  ])
  assert.deepEqual(of(1), [
    `0 0 2: 3 20 0 may duplicate ${noticeDetail('email', START - 7_000_000, START - 6_000_000)}`,
    `0 0 5: 0 4 0 -10 may duplicate ${noticeDetail('email', START - 50, null)}`,
    `0 0 6: 0 2 0 5000 may duplicate ${noticeDetail('oncall', START - 40, null)}`,
    `0 5 1: 2 1 0 ${noticeDetail('chatws', START - 9_000_000, START - 8_000_000)}`,
    `0 30 3: 4 0 0 ${noticeDetail('console', null, START - 5_000_000)}`,
    `0 30 4: 0 0 0 5000 ${noticeDetail('chatws', null, null)}`,
  ])
  assert.deepEqual(of(2), [
    `3 0 1: 0 0 0 -10 ${followUpDetail('m3', 'acknowledged', 'Ada', START - 100)}`,
    `3 5 5: 0 1 0 -10 may duplicate ${followUpDetail('m5', 'acknowledged', 'Ada', START - 100)}`,
    `3 41 2: 0 3 0 5000 night may duplicate ${followUpDetail('m4', 'resolved', 'Bob', START - 50)}`,
  ])
  assert.deepEqual(of(3), [
    '6 31 0: 0 0 0 60000 {"signal":"trigger"}',
    '7 31 0: 0 2 0 -10 may duplicate {"signal":"trigger"}',
    '8 31 0: 0 1 0 5000 {"signal":"acknowledge"}',
    '9 31 0: 0 0 0 -10 may duplicate {"signal":"resolve"}',
  ])
  const attempts = db.prepare(
    "SELECT incident || ' ' || channel || ' ' || number AS row FROM attempts ORDER BY incident, channel",
  )
  assert.deepEqual(
    attempts.all().map(({ row }) => row),
    ['-5 0 1', '3 0 1', '3 42 10'],
  )
  const others = db.prepare(
    "SELECT code || ' ' || channel || ' ' || target AS row FROM destinations WHERE code > 6 ORDER BY code",
  )
  assert.deepEqual(
    others.all().map(({ row }) => row),
    ['40 0 day', '41 0 night', '42 5 night'],
  )
})

test('what waited in the earlier queues is claimed once it is due, and its incident has the same record', (t) => {
  const rig = opened(t, databaseWithFourQueues(t))
  const states = Array.from({ length: 6 }, (_, at) => rig.detail(idOf(at + 6)).oncall)
  assert.deepEqual(
    states.map((oncall) => [oncall?.state, oncall?.next_signal]),
    [
      ['armed', 'trigger'],
      ['paging', 'trigger'],
      ['acknowledged', 'acknowledge'],
      ['resolved', 'resolve'],
      ['paged', null],
      ['cancelled', null],
    ],
  )
  const claim = () => rig.claimAll(['chatws', 'email', 'oncall']).dispatches.map(wordsOf).sort()
  assert.deepEqual(claim(), [
    'delivery chatws 1 0 attempt 1',
    'delivery chatws 2 0 attempt 2 may duplicate',
    'delivery email 2 0 attempt 1 may duplicate',
    'delivery email 4 0 attempt 1',
    'follow-up chatws 3 1 attempt 1',
    'follow-up email 3 5 attempt 2 may duplicate',
    'notice chatws 0 5 attempt 5 may duplicate',
    'page oncall 7 0 attempt 3 may duplicate',
    'page oncall 9 0 attempt 1 may duplicate',
  ])
  rig.now = START + 60_000
  assert.deepEqual(claim(), [
    'delivery email 1 0 attempt 3 may duplicate',
    'follow-up chatws 3 2 attempt 4 may duplicate',
    'page oncall 6 0 attempt 1',
    'page oncall 8 0 attempt 2',
  ])
  assert.deepEqual(
    rig.detail(idOf(3)).deliveries.map(({ state, dead_reason }) => [state, dead_reason]),
    [
      ['sent', null],
      ['dead', 'is_archived'],
    ],
  )
})

const wordsOf = ({ kind, destination, incident, number, attempt, mayDuplicate }: Dispatch) =>
  `${kind} ${destination} ${incident} ${number} attempt ${attempt}${mayDuplicate ? ' may duplicate' : ''}`

const noticeDetail = (about: string, first_at: number | null, ended_at: number | null) =>
  JSON.stringify({ about, first_at, ended_at })

const followUpDetail = (reply_to: string, word: string, person: string, raised_at: number) =>
  JSON.stringify({ reply_to, word, person, raised_at })
