import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Overrides, Payload } from '../../src/domain/incident.ts'
import { labelsOf, recognise } from '../../src/intake/recognise.ts'
import { openDecide } from '../../src/policy/decide.ts'
import { openExplain } from '../../src/policy/explain.ts'
import { CHANNELS, NOON, settingsOf } from '../policy/setup.ts'
import { draft, entriesFor, StoreRig } from '../store/support.ts'

const RULES = `
schedules: { office: [{ cron: "0 8 * * *", for: 10h, time_zone: UTC }] }
routes:
  - { name: night, match: { service: batch }, outside: office, to: none }
  - { name: copy, match: { labels.team: "w*" }, to: [email], continue: true }
  - { name: region, match: { payload.meta.region: "/eu-.+/" }, to: [{ email: team }], continue: true }
  - { name: payments, match: { service: pay*, min_severity: high }, to: [chatws, { chatws: payments }], oncall: { enable: true, wait_minutes: 1 } }
  - { name: chatter, match: { severity: [info, debug] }, to: none }
`
const settings = settingsOf(CHANNELS + RULES)
const { channels, oncall } = settings

const payload = fc.record(
  {
    title: fc.string({ maxLength: 20 }),
    ServiceName: fc.constantFrom('batch', 'payments', 'web'),
    severity: fc.constantFrom('critical', 'high', 'info'),
    status: fc.constantFrom('firing', 'resolved'),
    labels: fc.record({ team: fc.constantFrom('web', 'db') }),
    meta: fc.record({ region: fc.constantFrom('eu-1', ['us-1', 'eu-2'], 7) }),
  },
  { requiredKeys: ['title'] },
)
const overrides = fc.option(
  fc.record<Overrides>(
    {
      targets: fc.constantFrom({ chatws: 'ops' }, { msgapp: null }),
      oncallEnable: fc.boolean(),
      oncallWaitMinutes: fc.integer({ min: 0, max: 60 }),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
)
const request = fc.record({ payload, overrides, hours: fc.integer({ min: 0, max: 12 }), isKilled: fc.boolean() })

test('an incident is explained from its stored row as it was decided, whatever came between', (t) => {
  const decide = openDecide(settings, labelsOf)
  const explain = openExplain(settings, labelsOf)
  const rig = new StoreRig(t, { channels, decide, ...(oncall && { oncall }) })
  rig.now = NOON
  const ruled = new Set<string>()

  function check(id: string): void {
    const decided = rig.store.noise.decided(id)
    assert.ok(decided)
    const { content, source, stages, deliveries, oncall: page } = rig.detail(id)
    const stored = Buffer.from(JSON.stringify(content))
    const subject = { ...recognise(content as Payload), source, content: stored }
    const chosen = decided.overrides === undefined ? undefined : (JSON.parse(decided.overrides) as Overrides)
    const { decision } = explain(subject, chosen, Date.parse(stages.committed_at))
    if (decided.decision !== undefined) assert.deepEqual(JSON.parse(JSON.stringify(decision)), decided.decision)
    else assert.deepEqual(decision.rules, [])
    const explained = decision.destinations.map(({ channel, target = null }) => [channel, target])
    assert.deepEqual(deliveries.map(({ channel, target }) => [channel, target]).sort(), explained.sort())
    assert.equal(page !== null, decision.page !== undefined)
    for (const { name } of decision.rules) ruled.add(name)
  }

  const property = fc.property(fc.array(request, { minLength: 1, maxLength: 5 }), (requests) => {
    const ids = requests.map(({ payload: given, overrides: chosen, hours, isKilled }) => {
      rig.now += hours * 3_600_000
      const content = Buffer.from(JSON.stringify(given))
      const one = draft({ ...recognise(given as Payload), content, createdAt: rig.now })
      rig.turn({ entries: entriesFor(rig.store, [{ drafts: [one], ...(chosen && { overrides: chosen }) }], rig.now) })
      if (isKilled) rig.reopen()
      return one.id
    })
    for (const id of ids) check(id)
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 60, includeErrorInReport: true })
  assert.equal(ruled.size, settings.routes.length)
})
