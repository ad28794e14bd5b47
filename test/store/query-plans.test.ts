import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Parameter, Sql } from '../../src/store/engine/sql.ts'
import { SQLITE_MIGRATIONS } from '../../src/store/schema/sqlite.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'
import { openDatabase, openStore } from './database.ts'
import { recording, turnsOf } from './everything.ts'
import { compileForTests, HOUR, silenceOf } from './noise/silences/rig.ts'
import { draft, entriesFor, freshDir, START, turn } from './support.ts'

/** Tables whose rows do not grow with the history or the backlog, and why. */
const SMALL: { readonly [table: string]: string } = {
  applied: 'one row',
  cursors: 'one for each source of the configuration',
  destinations: 'one for each destination of the configuration and of requests',
  health: 'one row',
  heartbeats: 'of the configuration',
  indexed: 'one row',
  pauses: 'one for each channel',
  problem_progress: 'one row',
  process: 'one row',
  quarantine: 'incidents that could not be applied',
  rules: 'one for each rule that is configured, or was within a year',
  silences: 'kept for 30 days or 1,000',
  slo_minutes: 'at most 360',
}

/** Partial indexes that hold few rows: bundles that are open, signals that wait, pages that failed, problems that flap, runs at work. */
const FEW = /\b(bundles_(open|subject|due)|pages_(due|failed|leased)|problems_flapping|oncall_runs_(exhausted|open))\b/

/** Statements that change the whole of a table: each page has deadlines, which move with the clock. */
const WHOLE = /^UPDATE pages SET due_at = due_at \+ /

test('no statement of a turn or a list reads a large table from end to end, or sorts it', async (t) => {
  const { db, ran } = await turnsOf(t)
  const large = tables().filter((table) => SMALL[table] === undefined)
  for (const table of large)
    assert(
      [...ran.keys()].some((sql) => new RegExp(`\\b${table}\\b`).test(sql)),
      table,
    )
  const unbounded = [...ran].filter(([sql, parameters]) => {
    const named = (step: string) => large.some((table) => new RegExp(`\\b${table}\\b`).test(step))
    const steps = WHOLE.test(sql) ? [] : explain(db, sql, parameters)
    const aliases = [...sql.matchAll(/\b(?:FROM|JOIN) (\w+)(?: AS)? (\w+)/g)].filter(([, table = '']) =>
      large.includes(table),
    )
    const isLarge = (step: string) =>
      named(step) || aliases.some(([, , alias]) => step === `SCAN ${alias}` || step.startsWith(`SCAN ${alias} `))
    const scans = steps.some((step) => /^SCAN |Seq Scan/.test(step) && isLarge(step) && !FEW.test(step))
    // The first rows in the order of an index are few, however large it is.
    return scans && (!/\bLIMIT\b/.test(sql) || steps.some((step) => /TEMP B-TREE|Seq Scan/.test(step)))
  })
  assert.deepEqual(
    unbounded.map(([sql, parameters]) => [sql, ...explain(db, sql, parameters)]),
    [],
  )
})

test('what is held of one problem is read by the problem, however much its silence holds', (t) => {
  let now = START
  const ran = new Map<string, readonly Parameter[]>()
  const silences = { compile: compileForTests, configured: [silenceOf()] }
  const options: StoreOptions = {
    ...{
      dataDir: freshDir(t),
      channels: ['chatws'],
      silences,
      maxIncidents: 10_000,
      maxBacklog: 10_000,
      now: () => now,
    },
  }
  const db = recording(openDatabase(options.dataDir), (sql, parameters = []) => void ran.set(sql, parameters))
  const store = openStore(options, db)
  t.after(() => store.close())
  const held = (nth: number) => draft({ sender: 'cloud_alarm', service: 'db', fingerprint: `p ${nth}` })
  const drafts = Array.from({ length: 1_500 }, (_, nth) => held(nth))
  turn(store, { entries: entriesFor(store, [{ drafts }], now) })
  now += HOUR
  turn(store, {})
  ran.clear()
  turn(store, { entries: entriesFor(store, [{ drafts: [held(1_400)] }], now) })
  const reads = [...ran].filter(([sql]) => /FROM tellings t LEFT JOIN/.test(sql) && /t\.problem = \?/.test(sql))
  assert.equal(reads.length, 1)
  const [[sql, parameters]] = reads as [[string, readonly Parameter[]]]
  const [step = '', ...others] = explain(db, sql, parameters).filter((each) => /\bt\b|tellings/.test(each))
  assert.doesNotMatch([step, ...others].join(), /tellings_held/)
  assert.match([step, ...others].join(), /tellings_pkey|sqlite_autoindex_tellings|PRIMARY KEY/)
})

const tables = () =>
  Array.from(SQLITE_MIGRATIONS.join('').matchAll(/^CREATE TABLE (\w+)/gm), ([, table]) => table as string)

/** Returns the steps of the plan; on PostgreSQL none of a statement that did not run, which needs parameters. There a table without a usable index is read from end to end even where that is dear. */
function explain(db: Sql, sql: string, parameters: readonly Parameter[] | undefined): string[] {
  if (db.engine === undefined)
    return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail)
  if (parameters === undefined) return []
  db.exec('SET enable_seqscan = off')
  const rows = db.prepare(`EXPLAIN ${sql}`).all(...parameters) as Record<string, string>[]
  return rows.map((row) => String(Object.values(row)[0]).trim())
}
