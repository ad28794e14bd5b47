import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsOf } from './database.ts'
import { turnsOf } from './everything.ts'
import { HOUR } from './noise/silences/rig.ts'
import { turn } from './support.ts'

/** Rows that a year without incidents leaves at most, of a store that keeps 100 incidents; all others are bounded by what they are of. */
const LEFT: { readonly [table: string]: number } = {
  ...{
    incidents: 100,
    particulars: 100,
    problems: 0,
    tellings: 0,
    tallies: 1_000,
    bundles: 1_000,
    pages: 0,
    openings: 20,
  },
  ...{
    pairings: 0,
    idempotency: 0,
    oncall_runs: 0,
    oncall_pages: 0,
    oncall_overrides: 1,
    slo_minutes: 360,
    reindex: 0,
  },
}
/** Rows that go with others: of these there is none without. */
const WITH: { readonly [table: string]: string } = {
  contents: 'NOT EXISTS (SELECT 1 FROM incidents WHERE seq BETWEEN first AND last)',
  particulars: 'seq NOT IN (SELECT seq FROM incidents)',
  dispatches: 'incident > 0 AND incident NOT IN (SELECT seq FROM incidents)',
  attempts: 'incident > 0 AND incident NOT IN (SELECT seq FROM incidents)',
  tallies: 'bundle NOT IN (SELECT id FROM bundles)',
  revisions: 'bundle NOT IN (SELECT id FROM bundles)',
  tellings: 'problem NOT IN (SELECT id FROM problems)',
  oncall_pages: 'run NOT IN (SELECT id FROM oncall_runs)',
}

test('a year after the last incident every table is within its bound, and nothing lacks what it belongs to', async (t) => {
  const { store, db, deliver, later } = await turnsOf(t)
  const count = (table: string, where = '1 = 1') =>
    Number(rowsOf<{ rows: number }>(db, `SELECT count(*) AS "rows" FROM ${table} WHERE ${where}`)[0]?.rows)
  for (const table of ['problems', 'pages', 'oncall_runs', 'slo_minutes', ...Object.keys(WITH)])
    if (table !== 'particulars') assert.ok(count(table) > 0, table)
  for (let month = 0; month < 14; month++) {
    later(31 * 24 * HOUR)
    for (let nth = 0; nth < 4; nth++) deliver('sent')
    for (let nth = 0; nth < 8; nth++) turn(store, {})
    for (let nth = 0; nth < 8; nth++) store.maintenance.prune(1_000)
  }
  const left = Object.entries(LEFT).map(([table, most]) => [table, count(table), most] as const)
  assert.deepEqual(
    left.filter(([, rows, most]) => rows > most),
    [],
  )
  const orphans = Object.entries(WITH).map(([table, where]) => [table, count(table, where)] as const)
  assert.deepEqual(
    orphans.filter(([, rows]) => rows > 0),
    [],
  )
})
