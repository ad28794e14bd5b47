import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../src/store/engine/database.ts'
import { openStore, type StoreOptions } from '../../../src/store/store.ts'
import { compileForTests, HOUR, MINUTE, silenceOf } from '../noise/silences/rig.ts'
import { draft, entriesFor, freshDir, roomAt, START, settlement, turn } from '../support.ts'

const RATE = { perSecond: 0.5, burst: 2 }
const STORMS = { chatws: { enable: true, rate: RATE, reading: RATE, withinMs: 60_000, edits: true } }
/** Tables that grow with the history or the backlog. */
const LARGE = 'incidents dispatches attempts oncall contents problems holds idempotency bundle_kinds threads'.split(' ')

/** Tables that the turns of the test must have used. */
const USED = [...LARGE, 'bundles', 'revisions', 'pairings', 'problem_progress', 'silences']

test('no statement of a turn reads a large table from end to end, or sorts it', (t) => {
  const { ran, plan } = turnsOf(t)
  for (const table of USED)
    assert.ok(
      [...ran].some((sql) => new RegExp(`\\b${table}\\b`).test(sql)),
      table,
    )
  const unbounded = [...ran].filter((sql) => {
    const steps = plan(sql)
    const scans = steps.some((step) => LARGE.some((table) => new RegExp(`^SCAN ${table}\\b`).test(step)))
    // The first rows in the order of an index are few, however large it is.
    return scans && (!/\bLIMIT\b/.test(sql) || steps.some((step) => /TEMP B-TREE/.test(step)))
  })
  assert.deepEqual(unbounded, [])
})

/** Lets a store do all that turns do; returns the statements that ran. */
function turnsOf(t: TestContext) {
  let now = START
  const oncall = { enable: true, waitMs: 5 * MINUTE, provider: 'webhook' }
  const silences = { compile: compileForTests, configured: [silenceOf()] }
  const fallbacks = { destinations: { chatws: { channel: 'email' } }, afterMs: 2 * MINUTE } as const
  const options: StoreOptions = {
    ...{
      dataDir: freshDir(t),
      channels: ['chatws', 'email'],
      threadedChannels: ['chatws'],
      oncall,
      silences,
      fallbacks,
    },
    ...{
      storms: STORMS,
      maxIncidents: 100,
      maxBacklog: 10_000,
      slo: { toldWithinMs: 60_000, objective: 0.999 },
      now: () => now,
    },
  }
  const ran = new Set<string>()
  const db = recording(openDatabase(options.dataDir), (sql) => void ran.add(sql))
  const store = openStore(options, db)
  t.after(() => store.close())
  ran.clear()
  const room = roomAt('chatws', 'email', 'oncall')
  const arrive = (changes: Parameters<typeof draft>[0], count = 1) => {
    const drafts = Array.from({ length: count }, () => draft({ sender: 'grouped_alerts', ...changes }))
    turn(store, { entries: entriesFor(store, [{ drafts }], now) })
  }
  const deliver = (how: 'sent' | 'dead' | 'retry') => {
    const { dispatches } = turn(store, { capacity: room })
    const verdicts = {
      sent: { state: 'sent' },
      dead: { state: 'dead', reason: 'gone' },
      retry: { state: 'pending', at: now + 1_000 },
    } as const
    turn(store, {
      settlements: dispatches.map((one) => settlement(one, verdicts[how], how === 'sent' ? { messageId: 'm' } : {})),
    })
  }
  for (let round = 0; round < 80; round++) {
    arrive({ fingerprint: `f${round % 7}`, status: round % 5 === 4 ? 'resolved' : 'firing' }, 8)
    arrive({ fingerprint: `held ${round % 3}`, service: 'db', status: round % 4 === 3 ? 'resolved' : 'firing' })
    now += 20_000
    deliver(round % 9 === 5 ? 'dead' : round % 4 === 1 ? 'retry' : 'sent')
  }
  now = START + HOUR
  for (let nth = 0; nth < 5; nth++) deliver('sent')
  now += 48 * HOUR
  deliver('sent')
  const plan = (sql: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
  return { ran, plan }
}

/** Reports the text of each statement that runs. */
function recording(db: DatabaseSync, onRun: (sql: string) => void): DatabaseSync {
  const prepare = db.prepare.bind(db)
  db.prepare = (sql, ...options) => {
    const statement = prepare(sql, ...options)
    for (const name of ['run', 'get', 'all', 'iterate'] as const) {
      const call = statement[name].bind(statement) as (...parameters: unknown[]) => never
      statement[name] = (...parameters: unknown[]) => {
        onRun(sql)
        return call(...parameters)
      }
    }
    return statement
  }
  return db
}
