import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ExplainStep } from '../../src/api/noise/explain.ts'
import { destinationName } from '../../src/domain/delivery/delivery.ts'
import { openDecide } from '../../src/policy/decide.ts'
import { conditionsText } from '../../src/policy/describe.ts'
import { type Explain, type Explanation, openExplain } from '../../src/policy/explain.ts'
import { CHANNELS, labelsOf, NOON, settingsOf, subjectOf } from './setup.ts'

const RULES = `
schedules: { office: [{ cron: "0 8 * * *", for: 10h, time_zone: UTC }] }
routes:
  - { name: batch, match: { service: batch }, outside: office, to: none }
  - { name: team, match: { labels.team: [web, shop], labels.env: prod }, to: [email], continue: true }
  - { name: region, match: { payload.meta.region: eu-* }, to: [{ email: team }], continue: true }
  - name: payments
    match:
      service: pay*
      min_severity: high
    to: [chatws, { chatws: payments }]
  - { name: late, match: { service: payments }, during: office }
  - { name: rest, match: { title: "!Test*" }, to: [msgapp] }
`
const settings = settingsOf(CHANNELS + RULES)
const explain: Explain = openExplain(settings, labelsOf)

const lines = ({ steps }: Explanation) =>
  steps.map(({ stage, verdict, rule, because, line }) =>
    [stage, verdict, rule, because, line].filter(Boolean).join(' | '),
  )
const steps = (over: Parameters<typeof subjectOf>[0], overrides?: object) =>
  lines(explain(subjectOf(over), overrides, NOON))

describe('explain', () => {
  it('names the first condition that does not fit, with its line, and the rule that decides', () => {
    assert.deepEqual(
      steps({
        service: 'payments',
        payload: {
          alerts: [
            { team: 'web', env: 'test' },
            { team: 'db', env: 'prod' },
          ],
        },
      }),
      [
        'route | no | batch | service payments does not fit batch | config.yaml:10',
        'route | no | team | no single alert fits all conditions on labels | config.yaml:11',
        'route | no | region | payload.meta.region "" does not fit eu-* | config.yaml:12',
        'route | match | payments | severity critical is at least high; service payments fits pay* | config.yaml:13',
        'route | not reached | late | payments decided, and does not continue | config.yaml:18',
        'route | not reached | rest | payments decided, and does not continue | config.yaml:19',
        'destinations | chatws, chatws:payments | payments',
        'priority | high | payments',
        'on-call | page after 180 s | payments',
      ],
    )
  })
  it('says of a rule only the words that the API documents', () => {
    const found = [{}, { service: 'batch', title: 'Test', severity: 'warning' }].flatMap(
      (over) => explain(subjectOf(over), undefined, NOON).steps,
    )
    const documented = [...((ExplainStep.shape.verdict.description ?? '').split(';')[0]?.matchAll(/`(.*?)`/g) ?? [])]
    // The answers of the API leave out rules that are not reached.
    const said = found.filter(({ stage, verdict }) => stage === 'route' && verdict !== 'not reached')
    assert.deepEqual(new Set(said.map(({ verdict }) => verdict)), new Set(documented.map(([, word]) => word)))
  })
  it('says that no rule matches', () => {
    const all = steps({
      service: 'batch',
      title: 'Test',
      severity: 'warning',
      status: 'resolved',
      payload: { labels: { team: 'db' } },
    })
    assert.deepEqual(all, [
      'route | no | batch | the schedule office is active | config.yaml:10',
      'route | no | team | labels.team db does not fit web or shop | config.yaml:11',
      'route | no | region | payload.meta.region "" does not fit eu-* | config.yaml:12',
      'route | no | payments | severity warning is below high | config.yaml:16',
      'route | no | late | service batch does not fit payments | config.yaml:18',
      'route | no | rest | title Test does not fit !Test* | config.yaml:19',
      'route | default | none of 6 rules matches',
      'destinations | chatws, msgapp, email | no rule matches',
      'priority | normal | by its severity',
      'on-call | no | a resolved incident does not page',
    ])
  })
  it('lists what the request chose', () => {
    const overrides = {
      targets: { email: 'team' },
      oncallEnable: false,
      oncallWaitMinutes: 2,
      pagerdutyRoutingKey: 'shop',
    }
    assert.deepEqual(steps({}, overrides).slice(-7), [
      'overrides | email:team | the request chose it',
      'overrides | do not page | the request chose it',
      'overrides | page after 2 min | the request chose it',
      'overrides | routing key shop | the request chose it',
      'destinations | msgapp, email:team | rest',
      'priority | high | rest',
      'on-call | no | rest',
    ])
  })
  it('decides as `decide` does, whatever was decided before', () => {
    const decide = openDecide(settings, labelsOf)
    const word = fc.constantFrom('payments', 'pay', 'batch', 'web', 'shop', 'prod', 'Test 1', 'eu-1', '')
    const labels = fc.record({ team: word, env: word }, { requiredKeys: [] })
    const incident = fc.record({
      service: word,
      title: word,
      severity: fc.constantFrom('critical', 'error', 'info', ''),
      status: fc.constantFrom('firing', 'resolved'),
      payload: fc.record(
        { alerts: fc.array(labels, { maxLength: 3 }), meta: fc.record({ region: word }) },
        { requiredKeys: [] },
      ),
    })
    const overrides = fc.option(
      fc.record(
        { targets: fc.dictionary(fc.constantFrom('email', 'chatws', 'workchat'), word), oncallEnable: fc.boolean() },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    )
    const hours = fc.integer({ min: 0, max: 48 })
    const seen = new Set<string>()
    fc.assert(
      fc.property(incident, overrides, hours, (over, chosen, hour) => {
        const now = NOON + hour * 3_600_000
        const decision = decide(subjectOf(over), chosen, now)
        assert.deepEqual(explain(subjectOf(over), chosen, now).decision, decision)
        for (const { name } of decision.rules) seen.add(name)
      }),
      { numRuns: 300 },
    )
    assert.equal(seen.size, settings.routes.length)
  })
})

it('a rule is described in words', () => {
  assert.deepEqual(settings.routes.map(conditionsText), [
    'service batch; outside office',
    'labels.team web or shop; labels.env prod',
    'payload.meta.region eu-*',
    'service pay*; severity at least high',
    'service payments; during office',
    'title !Test*',
  ])
  assert.equal(
    conditionsText(settingsOf('routes: [{ name: a }]').routes[0] as (typeof settings.routes)[0]),
    'every incident',
  )
  assert.deepEqual(settings.routes[3]?.to?.map(destinationName), ['chatws', 'chatws:payments'])
})
