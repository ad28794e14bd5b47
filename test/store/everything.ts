import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openGroupOf } from '../../src/policy/bundles/group.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'
import { BUNDLE_KIND } from '../../src/store/engine/column-codes.ts'
import type { Parameter, Sql } from '../../src/store/engine/sql.ts'
import { openSchedules } from '../../src/store/oncall/schedules.ts'
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

/** Lets a store do all that turns do; returns it with the statements that ran. `later`: sets its clock forward. */
export async function turnsOf(t: TestContext) {
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
  const later = (ms: number) => {
    now += ms
  }
  return { store, db, ran: new Map(ran), deliver, later }
}

/** Reports the text of each statement that runs. */
export function recording(db: Sql, onRun: (sql: string, parameters?: readonly Parameter[]) => void): Sql {
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
