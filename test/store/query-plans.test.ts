import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openGroupOf } from '../../src/policy/bundles/group.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'
import { BUNDLE_KIND } from '../../src/store/engine/column-codes.ts'
import type { Parameter, Sql } from '../../src/store/engine/sql.ts'
import { openSchedules } from '../../src/store/oncall/schedules.ts'
import { SQLITE_MIGRATIONS } from '../../src/store/schema/sqlite.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'
import { schedule } from '../policy/oncall/setup.ts'
import { answer, press } from './answers/rig.ts'
import { briefRules, sectionsOf } from './brief/rig.ts'
import { openDatabase, openStore, rowsOf } from './database.ts'
import { compileForTests, HOUR, MINUTE, silenceOf } from './noise/silences/rig.ts'
import { escalating, rulesOf } from './oncall/rig.ts'
import { draft, entriesFor, freshDir, roomAt, START, settlement, turn } from './support.ts'

const RATE = { perSecond: 0.5, burst: 2 }
const STORMS = { chatws: { enable: true, rate: RATE, reading: RATE, withinMs: 60_000, edits: true } }
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
  const { ran, explain } = await turnsOf(t)
  const large = tables().filter((table) => SMALL[table] === undefined)
  for (const table of large)
    assert(
      [...ran.keys()].some((sql) => new RegExp(`\\b${table}\\b`).test(sql)),
      table,
    )
  const unbounded = [...ran].filter(([sql, parameters]) => {
    const named = (step: string) => large.some((table) => new RegExp(`\\b${table}\\b`).test(step))
    const steps = WHOLE.test(sql) ? [] : explain(sql, parameters)
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
    unbounded.map(([sql, parameters]) => [sql, ...explain(sql, parameters)]),
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

/** Lets a store do all that turns do; returns the statements that ran. */
async function turnsOf(t: TestContext) {
  let now = START
  const oncall = { enable: true, waitMs: 5 * MINUTE, provider: 'webhook' }
  const silences = { compile: compileForTests, configured: [silenceOf()] }
  const fallbacks = { destinations: { chatws: { channel: 'email' } }, afterMs: 2 * MINUTE } as const
  const options: StoreOptions = {
    ...{
      dataDir: freshDir(t),
      channels: ['chatws', 'email'],
      threadedChannels: ['chatws'],
      answering: ['chatws'],
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
    ...escalating(rulesOf()),
    brief: briefRules({ openings: 20 }),
    ...{ schedules: { schedules: new Map([['primary', schedule()]]), people: new Map() }, openSchedules },
    repeats: { mode: 'fold', remindMs: 4 * HOUR },
    flapping: { enable: true },
    groupOf: openGroupOf(() => []),
    decide: (subject, ...rest) => {
      const decision = usual(subject, ...rest)
      if (subject.service === 'cluster')
        return { ...decision, group: { rule: '', by: ['service'], intervalMs: 5 * MINUTE } }
      return subject.fingerprint.startsWith('run ')
        ? { ...decision, page: { waitMs: 0, escalation: 'office' } }
        : decision
    },
  }
  const usual = openDefaultDecide({ channels: ['chatws', 'email'], oncall })
  const ran = new Map<string, readonly Parameter[] | undefined>()
  const db = recording(
    openDatabase(options.dataDir),
    (sql, parameters) => void ran.set(sql, parameters ?? ran.get(sql)),
  )
  const store = openStore(options, db)
  t.after(() => store.close())
  // The opening walks tables once.
  for (const [sql, parameters] of ran) if (parameters !== undefined) ran.delete(sql)
  const room = roomAt('chatws', 'email', 'oncall')
  let acted: string[] = []
  const arrive = (changes: Parameters<typeof draft>[0], count = 1) => {
    const drafts = Array.from({ length: count }, () => draft({ sender: 'grouped_alerts', ...changes }))
    acted = drafts.map(({ id }) => id)
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
  for (let round = 0; round < 12; round++) {
    const facts = { sender: 'error_tracker', severity: round === 6 ? 'critical' : 'warning' } as const
    arrive({ ...facts, service: 'cluster', fingerprint: `host ${round % 3}` })
    arrive({ ...facts, fingerprint: 'again' })
    arrive({ ...facts, fingerprint: 'flaps', status: round % 2 === 0 ? 'firing' : 'resolved' })
    now += MINUTE
    deliver(round === 7 ? 'retry' : 'sent')
  }
  const kinds = new Set(rowsOf<{ kind: number }>(db, 'SELECT kind FROM bundles WHERE id > 0').map(({ kind }) => kind))
  assert.equal(kinds.size, Object.keys(BUNDLE_KIND).length)
  for (const nth of [0, 1, 2])
    arrive({ sender: 'error_tracker', service: 'cluster', fingerprint: `host ${nth}`, status: 'resolved' })
  arrive({ sender: 'error_tracker', fingerprint: 'again', status: 'resolved' })
  now += 3 * HOUR
  for (let nth = 0; nth < 3; nth++) deliver('sent')
  arrive({ fingerprint: 'run 1', severity: 'warning' })
  const told = turn(store, { capacity: room }).dispatches.filter(({ kind }) => kind === 'notice')
  turn(store, { settlements: told.map((one) => settlement(one, { state: 'dead', reason: 'gone' })) })
  for (const { number } of told) store.oncallPages?.press(number, 'decline')
  arrive({ fingerprint: 'run 1', severity: 'critical' })
  deliver('sent')
  for (const { number } of told) store.oncallPages?.press(number, 'acknowledge')
  arrive({ fingerprint: 'run 1', status: 'resolved' })
  store.oncallRuns?.list()
  const cover = { schedule: 'primary', person: 'cleo', by: 'Ada', reason: 'holidays', from: now, until: now + HOUR }
  store.schedules?.endOverride(store.schedules.addOverride(cover).id, 'Ada')
  store.schedules?.overrides()
  store.schedules?.shifts('primary', { from: START, until: now })
  store.maintenance.prune(1_000)
  const copy = { messageId: 'm' }
  for (const id of acted) answer(store, press(id, 'acknowledge', { copy, mustBeCopy: true }))
  const subject = { kind: 'digest', number: 1, revision: 1 } as const
  answer(store, press('', 'acknowledge_all', { subject, copy, mustBeCopy: true }))
  for (let nth = 0; nth < 5; nth++) deliver('sent')
  turn(store, { sendersLost: true, clockJumpMs: MINUTE })
  store.status.state()
  store.answers.after(store.answers.latest())
  store.operator.acknowledge(acted[0] ?? '', 'Ada')
  store.answers.list({ limit: 10 })
  store.answers.list({ limit: 10, problem: 1 })
  store.problems.detail(1)
  store.noise.digests({ limit: 10 })
  store.noise.digests({ limit: 10, open: false })
  store.noise.digest(1)
  store.noise.places({ number: 1, limit: 10 })
  store.silences.list({ limit: 10 })
  store.report.revisions(START)
  store.report.part({ since: START, before: undefined })
  const { brief } = store
  brief?.readWords(64)
  brief?.addNote({ problem: 1, by: 'Ada', text: 'it was the disk' })
  brief?.removeNote(1)
  brief?.addChange({ key: 'c', at: now, service: '', kind: 'deploy', summary: 'v2', link: '' })
  brief?.notes(1)
  brief?.changes()
  await sectionsOf(store, 1)
  const explained = new Map(ran)
  return {
    ran: explained,
    explain: (sql: string, parameters: readonly Parameter[] | undefined) => explain(db, sql, parameters),
  }
}

/** Returns the steps of the plan; on PostgreSQL none of a statement that did not run, which needs parameters. There a table without a usable index is read from end to end even where that is dear. */
function explain(db: Sql, sql: string, parameters: readonly Parameter[] | undefined): string[] {
  if (db.engine === undefined)
    return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail)
  if (parameters === undefined) return []
  db.exec('SET enable_seqscan = off')
  const rows = db.prepare(`EXPLAIN ${sql}`).all(...parameters) as Record<string, string>[]
  return rows.map((row) => String(Object.values(row)[0]).trim())
}

/** Reports the text of each statement that runs. */
function recording(db: Sql, onRun: (sql: string, parameters?: readonly Parameter[]) => void): Sql {
  const prepare = db.prepare.bind(db)
  db.prepare = (sql) => {
    const statement = prepare(sql)
    onRun(sql)
    for (const name of ['run', 'get', 'all', 'post'] as const) {
      const call = statement[name]?.bind(statement) as ((...parameters: Parameter[]) => never) | undefined
      if (call !== undefined)
        statement[name] = (...parameters: Parameter[]) => {
          onRun(sql, parameters)
          return call(...parameters)
        }
    }
    return statement
  }
  return db
}
