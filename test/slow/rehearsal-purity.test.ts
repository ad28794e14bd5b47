import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openRun } from '../../actors/rehearsal/run.ts'
import { labelsOf } from '../../src/intake/recognise.ts'
import { openExplain } from '../../src/policy/explain.ts'
import type { HistoryPage } from '../../src/store/ports/history.ts'
import { bootFor, DAY_MS, incident, rehearsed, START } from '../actors/rehearsal/setup.ts'

const ROUTES = [
  { name: 'audit', match: { 'payload.audit': 'true' }, to: ['email'], continue: true },
  { name: 'payments', match: { service: 'pay*', min_severity: 'high' }, to: ['chatws', { chatws: 'payments' }] },
  { name: 'night', match: { 'labels.team': ['web', 'db-*'] }, outside: 'office', to: 'none', priority: 'low' },
  { name: 'resolved', match: { status: 'resolved' }, to: ['email'], oncall: { enable: false } },
]
const SECTIONS = {
  routes: ROUTES,
  schedules: { office: [{ cron: '0 8 * * *', for: '10h', time_zone: 'Europe/Berlin' }] },
}

const arrival = fc.record({
  /** Many come at once, so that there are storms. */
  afterMs: fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 50 }) }, fc.nat({ max: DAY_MS / 24 })),
  service: fc.constantFrom('payments', 'pay', 'web', 'db'),
  severity: fc.constantFrom('critical', 'error', 'warning', 'info'),
  status: fc.constantFrom('firing', 'firing', 'resolved'),
  problem: fc.nat({ max: 4 }),
  payload: fc.record({ audit: fc.boolean(), labels: fc.record({ team: fc.constantFrom('web', 'db-1', 'ops') }) }),
  overrides: fc.option(
    fc.constantFrom({ oncallEnable: false }, { targets: { chatws: 'payments' } }, { oncallWaitMinutes: 1 }),
    { nil: undefined, freq: 5 },
  ),
  acknowledgedAfterMs: fc.option(fc.nat({ max: 600_000 }), { nil: undefined, freq: 5 }),
})

const history = fc.array(arrival, { minLength: 1, maxLength: 60 }).map((arrivals): HistoryPage => {
  let at = START
  return arrivals.map(({ afterMs, problem, payload, overrides, acknowledgedAfterMs, ...fields }, nth) => {
    at += afterMs
    return incident(nth + 1, at, {
      ...(fields as Pick<typeof fields, 'service' | 'severity'> & { status: 'firing' | 'resolved' }),
      fingerprint: `f${problem}`,
      content: Buffer.from(JSON.stringify(payload)),
      ...(overrides && { overrides }),
      ...(acknowledgedAfterMs !== undefined && { acknowledged: { at: at + acknowledgedAfterMs, by: 'anna' } }),
    })
  })
})

test('the configuration in force changes nothing, whatever the history is', async () => {
  const boot = bootFor(SECTIONS)
  await fc.assert(
    fc.asyncProperty(history, async (incidents) => {
      const { changes, in_force, proposed, history: played } = await rehearsed(boot, boot, incidents)
      assert.deepEqual(changes, [])
      assert.deepEqual(proposed, in_force)
      assert.equal(played.incidents, incidents.length)
      for (const { by_message, by_digest, waiting } of in_force.destinations) {
        assert.ok(by_message + by_digest <= incidents.length)
        assert.equal(waiting, 0, 'after a day all is told')
      }
    }),
    { numRuns: 12 },
  )
})

test('decisions are pure: those that were stored equal those that are explained from what was stored', async () => {
  const boot = bootFor(SECTIONS)
  const explain = openExplain(boot.policy, labelsOf)
  await fc.assert(
    fc.asyncProperty(history, async (incidents) => {
      const run = await openRun(boot, { startAt: START, silences: [] })
      try {
        await run.feed(incidents)
        for (const { draft, overrides, committedAt } of incidents) {
          const { decision } = explain(draft, overrides, committedAt)
          const stored = run.store.noise.decided(draft.id)?.decision
          assert.deepEqual(stored, decision.rules.length === 0 ? undefined : JSON.parse(JSON.stringify(decision)))
        }
      } finally {
        run.close()
      }
    }),
    { numRuns: 12 },
  )
})
