import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPIRED, EXPIRED_HISTORY, EXPIRED_SCHEDULES, OWNED } from '../../src/store/retention.ts'
import { SQLITE_MIGRATIONS } from '../../src/store/schema/sqlite.ts'

/** Tables whose rows neither go with incidents nor with age alone, and what bounds them. */
const BOUNDS: { readonly [table: string]: string } = {
  alerts: 'intake.alertmanager.max_alerts that fire',
  answers: 'the newest 200,000',
  applied: 'one row',
  tallies: 'go with their bundle',
  bundles: 'closed for 30 days, and not of the newest 1,000',
  causes: 'at most 100 that fire',
  cursors: 'sources of the configuration',
  decisions: 'go with the last incident that has it',
  destinations: 'at most 10,000 others',
  health: 'one row',
  heartbeats: 'of the configuration',
  indexed: 'one row',
  notices: 'the newest 100 that ended',
  oncall_pages: 'go with their run',
  oncall_runs: 'ended for 30 days, or not of the newest 20,000',
  openings: 'brief.openings',
  pages: '50,000 that the provider has, and the backlog of those that it gets',
  pairings: 'go when they are done',
  pauses: 'one for each channel',
  problem_progress: 'one row',
  problems: 'at most 50,000',
  process: 'one row',
  quarantine: 'none: they are accepted incidents, which a metric counts',
  reindex: 'go when they are done',
  revisions: 'go with their bundle',
  search: 'go with their incident',
  slo_minutes: 'the last 360',
  tellings: 'go with their problem',
}

test('each table has a bound', () => {
  const tables = Array.from(
    SQLITE_MIGRATIONS.join('').matchAll(/^CREATE (?:VIRTUAL )?TABLE (\w+)/gm),
    ([, name]) => name,
  )
  const bounded = [
    ...Object.keys(OWNED),
    ...Object.keys({ ...EXPIRED, ...EXPIRED_SCHEDULES, ...EXPIRED_HISTORY }),
    ...Object.keys(BOUNDS),
  ]
  assert.deepEqual(tables.sort(), bounded.sort())
})
