import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, rowsOf } from './database.ts'
import { draft, StoreRig } from './support.ts'

const DAY = 24 * 3_600_000
const PACE = { perSecond: 1, burst: 4 }
const RULES = { enable: true, rate: PACE, reading: PACE, withinMs: 60_000, edits: true }

/** Runs statements on the database of a store, which is closed meanwhile. */
function change(rig: StoreRig, ...statements: readonly string[]): void {
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  for (const statement of statements) db.exec(statement)
  db.close()
  rig.reopen()
}

function count(rig: StoreRig, sql: string): number | undefined {
  rig.store.close()
  const db = openDatabase(rig.options.dataDir)
  const n = rowsOf<{ n: number }>(db, sql)[0]?.n
  db.close()
  rig.reopen()
  return n
}

const numbers = (to: number) =>
  `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${to}) SELECT`

test('of one digest the newest thousand updates stay; older places show the oldest of them', (t) => {
  const rig = new StoreRig(t, {
    ...{ channels: ['chatws'], storms: { chatws: RULES }, maxBacklog: 100_000 },
    repeats: { mode: 'fold', remindMs: 4 * 3_600_000 },
  })
  const fire = () => {
    const one = draft({ sender: 'error_tracker', fingerprint: 'db', createdAt: rig.now })
    rig.commit({ drafts: [one] })
    return one.id
  }
  const send = () => {
    for (const one of rig.claim('chatws')) rig.settle(one, { state: 'sent' }, { messageId: 'm' })
    rig.turn({})
  }
  fire()
  send()
  const repeated = fire()
  rig.now += 60_000
  send()
  const digest = rig.detail(repeated).deliveries[0]?.via?.digest
  assert(digest)
  change(
    rig,
    `INSERT INTO revisions (bundle, number, through, way, told_at) ${numbers(1_100)} ${digest}, n + 1, 1, 'edit', ${rig.now} FROM n`,
    `UPDATE bundles SET revision = 1101 WHERE id = ${digest}`,
  )
  for (let run = 0; run < 3; run++) rig.store.maintenance.prune(100)
  assert.equal(rig.detail(repeated).deliveries[0]?.via?.update, 102)
  assert.equal(count(rig, 'SELECT count(*) AS n FROM revisions'), 1_000)
})

test('old digests are deleted, also behind many of which a paused channel keeps the incidents', (t) => {
  const rig = new StoreRig(t, { channels: ['chatws'] })
  const old = rig.now
  change(
    rig,
    `INSERT INTO bundles (id, kind, state, destination, subject, since, opened_at, closed_at, folded)
     ${numbers(1_300)} n, 1, 2, 0, 'f' || n, ${old}, ${old}, ${old} + n, 1 FROM n`,
    `INSERT INTO dispatches (incident, kind, destination, number, state, bundle, place)
     ${numbers(200)} 100000 + n, 0, 5, 0, 2, n, 1 FROM n`,
  )
  rig.now += 31 * DAY
  for (let run = 0; run < 30; run++) rig.store.maintenance.prune(100)
  assert.equal(count(rig, 'SELECT count(*) AS n FROM bundles'), 1_200, 'the newest thousand, and those with incidents')
  assert.equal(count(rig, 'SELECT count(*) AS n FROM bundles WHERE id <= 200'), 200)
})
