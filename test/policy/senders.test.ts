import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Payload, Sender } from '../../src/domain/incident.ts'
import { labelsOf, recognise } from '../../src/intake/recognise.ts'
import { openDecide } from '../../src/policy/decide.ts'
import { openExplain } from '../../src/policy/explain.ts'
import type { Subject } from '../../src/policy/fields.ts'
import { load } from '../config/setup.ts'
import { CHANNELS, NOON, settingsOf } from './setup.ts'

const SIZE = 30
const SEVERITY = ['critical', 'error', 'warning', 'info']

/** A payload of each kind of sender about service `s<n>`, with a label or value `team: t<n>` where the sender has labels. */
const PAYLOADS: { readonly [S in Sender]: (n: number) => Payload } = {
  grouped_alerts: (n) => ({
    groupKey: `g${n}`,
    status: 'firing',
    commonLabels: { alertname: `Alert ${n}`, service: `s${n}`, severity: SEVERITY[n % 4] },
    alerts: [{ labels: { pod: 'a' } }, { labels: { team: `t${n}` } }],
  }),
  dashboard_alerts: (n) => ({ ruleName: `Panel ${n}`, state: 'alerting', tags: { service: `s${n}`, team: `t${n}` } }),
  error_tracker: (n) => ({
    data: {
      event: {
        title: `TypeError ${n}`,
        project_slug: `s${n}`,
        level: SEVERITY[n % 4],
        tags: [['team', `t${n}`]],
      },
    },
  }),
  cloud_alarm: (n) => ({
    AlarmName: `alarm ${n}`,
    NewStateValue: 'ALARM',
    Trigger: {
      Dimensions: [
        { name: 'Service', value: `s${n}` },
        { name: 'team', value: `t${n}` },
      ],
    },
  }),
  log_forwarder: (n) => ({
    log: `line ${n}`,
    stream: 'stderr',
    level: SEVERITY[n % 4],
    kubernetes: { container_name: `s${n}`, labels: { team: `t${n}` } },
  }),
  pagerduty_event: (n) => ({
    integration: 'kuma',
    event_action: 'trigger',
    dedup_key: `k${n}`,
    payload: {
      summary: `event ${n}`,
      component: `s${n}`,
      severity: SEVERITY[n % 4],
      custom_details: { team: `t${n}` },
    },
  }),
  opsgenie_alert: (n) => ({
    integration: 'legacy',
    action: 'create',
    alias: `a${n}`,
    message: `alert ${n}`,
    entity: `s${n}`,
    priority: 'P1',
    details: { team: `t${n}` },
  }),
  agent: (n) => ({ Source: 'AI Agent', ServiceName: `s${n}`, Summary: `burst ${n}`, Severity: 'error', team: `t${n}` }),
  custom: (n) => ({ title: `custom ${n}`, service: `s${n}`, severity: SEVERITY[n % 4], tags: [`team:t${n}`] }),
}
const senders = Object.keys(PAYLOADS) as Sender[]

function subject(payload: Payload): Subject {
  return { ...recognise(payload), source: 'webhook', content: Buffer.from(JSON.stringify(payload)) }
}

/**
 * 60 rules: for each number one on the service, one on the label (for the agent, which has none, on the payload), then
 * one that an earlier one takes everything of.
 */
const RULES = [
  ...Array.from({ length: 14 }, (_, n) => `{ name: service ${n}, match: { service: s${n} }, to: [chatws] }`),
  ...Array.from(
    { length: 14 },
    (_, n) => `{ name: label ${n + 14}, match: { labels.team: "t${n + 14}" }, to: [{ chatws: ops }] }`,
  ),
  ...Array.from(
    { length: 14 },
    (_, n) => `{ name: path ${n + 14}, match: { payload.team: "t${n + 14}", sender: agent }, to: [email] }`,
  ),
  ...Array.from(
    { length: 16 },
    (_, n) => `{ name: never ${n}, match: { title: "nothing ${n}-*", service: "x*" }, to: none }`,
  ),
  '{ name: unreachable, match: { service: s3, min_severity: critical }, to: [msgapp] }',
  '{ name: rest, match: { service: "s*" }, to: [msgapp] }',
]
const YAML = `${CHANNELS}routes:\n${RULES.map((rule) => `  - ${rule}\n`).join('')}`
const FIRST_LINE = YAML.split('\n').findIndex((line) => line.startsWith('routes:')) + 2
const settings = settingsOf(YAML)
const decide = openDecide(settings, labelsOf)
const explain = openExplain(settings, labelsOf)

/** Rule and destination for number `n` of a sender, by a table. */
function expected(sender: Sender, n: number): readonly [rule: string, place: string] {
  if (n < 14) return [`service ${n}`, 'chatws']
  if (n >= 28) return ['rest', 'msgapp']
  return sender === 'agent' ? [`path ${n}`, 'email'] : [`label ${n}`, 'chatws:ops']
}

describe(`${RULES.length} rules and ${SIZE} payloads of every sender`, () => {
  it('the rule that is never reached is named, with both lines', () => {
    const { warnings } = load(YAML)
    assert.equal(RULES.length, 60)
    assert.deepEqual(
      warnings.filter((warning) => warning.includes('never reached')),
      [
        `config.yaml:${FIRST_LINE + 58}: routes.58: unreachable is never reached: service 3 (config.yaml:${FIRST_LINE + 3}) takes every incident that it fits; put it first`,
      ],
    )
  })
  for (const sender of senders)
    it(`${sender}: each goes where the table says, and the explanation names rule and line`, () => {
      for (let n = 0; n < SIZE; n++) {
        const incident = subject(PAYLOADS[sender](n))
        assert.equal(incident.sender, sender)
        const [rule, place] = expected(sender, n)
        const { destinations, rules } = decide(incident, undefined, NOON)
        const found = destinations.map(({ channel, target }) =>
          target === undefined ? channel : `${channel}:${target}`,
        )
        assert.deepEqual([rules.map(({ name }) => name), found], [[rule], [place]], `${sender} ${n}`)
        const { decision, steps } = explain(incident, undefined, NOON)
        assert.deepEqual(decision, decide(incident, undefined, NOON))
        const match = steps.find(({ verdict }) => verdict === 'match')
        const at = settings.routes.findIndex(({ name }) => name === rule)
        assert.deepEqual([match?.rule, match?.line], [rule, `config.yaml:${FIRST_LINE + at}`])
        assert.equal(steps.filter(({ rule }) => rule !== undefined).length, RULES.length)
        const chosen = decide(incident, { targets: { chatws: 'payments' } }, NOON).destinations
        assert.deepEqual(
          chosen.filter(({ channel }) => channel === 'chatws'),
          [{ channel: 'chatws', target: 'payments' }],
        )
      }
    })
})
