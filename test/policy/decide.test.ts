import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDecide, type PolicySettings } from '../../src/policy/decide.ts'
import type { Decision } from '../../src/policy/decision.ts'
import { openDefaultDecide } from '../../src/policy/default.ts'
import { mostDestinations } from '../../src/policy/outcome.ts'
import { CHANNELS, decideOf, labelsOf, NOON, settingsOf, subjectOf } from './setup.ts'

/** Channels as `channel` or `channel:target`. */
const places = ({ destinations }: Decision) =>
  destinations.map(({ channel, target }) => (target === undefined ? channel : `${channel}:${target}`))
const names = ({ rules }: Decision) => rules.map(({ name }) => name)

describe('rules', () => {
  const decide = decideOf(`
schedules: { office: [{ cron: "0 8 * * *", for: 10h, time_zone: UTC }] }
routes:
  - { name: payments, match: { service: pay*, min_severity: high }, to: [chatws, { chatws: payments }], priority: high }
  - { name: team, match: { labels.team: [web, shop], labels.env: prod }, to: [email] }
  - { name: region, match: { payload.meta.region: eu-* }, to: [{ email: team }] }
  - { name: night, match: { service: batch }, outside: office, to: none }
  - { name: chatter, match: { severity: [INFO, debug] }, to: none }
`)
  const routed = (over: Parameters<typeof subjectOf>[0], now = NOON) => decide(subjectOf(over), undefined, now)

  it('the first that matches decides, with the place of the rule', () => {
    const decision = routed({ service: 'payments' })
    assert.deepEqual(places(decision), ['chatws', 'chatws:payments'])
    assert.deepEqual(decision.rules, [{ name: 'payments', where: 'config.yaml:10' }])
  })
  it('all conditions have to fit', () => {
    assert.deepEqual(names(routed({ service: 'payments', severity: 'warning' })), [])
    assert.deepEqual(names(routed({ service: 'pay', severity: 'error' })), ['payments'])
  })
  it('without a rule that matches every enabled channel is told', () => {
    assert.deepEqual(places(routed({})), ['chatws', 'msgapp', 'email'])
  })
  it('one alert of a group has to fit all conditions on labels', () => {
    const one = [
      { team: 'web', env: 'test' },
      { team: 'shop', env: 'prod' },
    ]
    const spread = [
      { team: 'web', env: 'test' },
      { team: 'db', env: 'prod' },
    ]
    assert.deepEqual(names(routed({ payload: { alerts: one } })), ['team'])
    assert.deepEqual(names(routed({ payload: { alerts: spread } })), [])
  })
  it('a dotted path leads into the payload, also by keys with dots', () => {
    for (const payload of [
      { meta: { region: 'eu-1' } },
      { 'meta.region': 'eu-1' },
      { meta: { region: ['us', 'eu-2'] } },
    ])
      assert.deepEqual(names(routed({ payload })), ['region'])
    for (const payload of [{ meta: 'eu-1' }, { meta: { region: { a: 'eu-1' } } }, [], { meta: null }])
      assert.deepEqual(names(routed({ payload })), [])
  })
  it('a rule counts during or outside its schedule only', () => {
    const night = NOON + 10 * 3_600_000
    assert.deepEqual(places(routed({ service: 'batch' }, night)), [])
    assert.equal(places(routed({ service: 'batch' }, NOON)).length, 3)
    assert.deepEqual(places(routed({ service: 'batch' }, night)), [])
  })
  it('words of senders are compared in lower case', () => {
    assert.deepEqual(names(routed({ severity: 'info' })), ['chatter'])
  })
  it('equal outcomes are the same object', () => {
    assert.equal(routed({ service: 'payments' }), routed({ service: 'pay-2', title: 'another' }))
    assert.notEqual(routed({ service: 'payments' }), routed({ service: 'payments', status: 'resolved' }))
  })
  it('a payload that is no object has no labels and no paths', () => {
    for (const content of ['[1]', '"a"', 'null', '{'])
      assert.deepEqual(names(decide({ ...subjectOf(), content: Buffer.from(content) }, undefined, NOON)), [])
  })
})

describe('rules that continue', () => {
  const decide = decideOf(`
routes:
  - { name: all, to: [chatws], continue: true, priority: low, templates: { chatws: a.tmpl }, oncall: { wait_minutes: 5 } }
  - { name: loud, match: { min_severity: critical }, to: [{ chatws: ops }, chatws], continue: true, templates: { chatws: b.tmpl } }
  - { name: last, match: { service: storage }, to: [email], oncall: { wait_minutes: 1, routing_key: shop } }
  - { name: never, match: { service: storage }, to: [msgapp] }
`)
  it('add up: destinations, the highest priority, the earliest page', () => {
    assert.deepEqual(decide(subjectOf(), undefined, NOON), {
      destinations: [
        { channel: 'chatws', template: 'a.tmpl' },
        { channel: 'chatws', target: 'ops', template: 'b.tmpl' },
        { channel: 'email' },
      ],
      priority: 'high',
      page: { waitMs: 60_000, target: 'shop' },
      rules: [
        { name: 'all', where: 'config.yaml:9' },
        { name: 'loud', where: 'config.yaml:10' },
        { name: 'last', where: 'config.yaml:11' },
      ],
    })
  })
  it('do not bring the defaults back when no rule follows', () => {
    const decision = decide(subjectOf({ service: 'other', severity: 'warning' }), undefined, NOON)
    assert.deepEqual(places(decision), ['chatws'])
    assert.deepEqual(decision.priority, 'low')
  })
})

describe('pages', () => {
  const decide = decideOf(`
routes:
  - { name: quiet, match: { service: batch }, oncall: { enable: false } }
  - { name: shop, match: { service: shop }, oncall: { routing_key: shop } }
`)
  const page = (over: Parameters<typeof subjectOf>[0], overrides?: object) =>
    decide(subjectOf(over), overrides, NOON).page

  it('a rule switches them off, or chooses who is paged', () => {
    assert.equal(page({ service: 'batch' }), undefined)
    assert.deepEqual(page({ service: 'shop' }), { waitMs: 180_000, target: 'shop' })
    assert.deepEqual(page({}), { waitMs: 180_000 })
  })
  it('a request overrides each part of the rule', () => {
    assert.deepEqual(page({ service: 'batch' }, { oncallEnable: true, oncallWaitMinutes: 0 }), { waitMs: 0 })
    assert.equal(page({ service: 'shop' }, { oncallEnable: false }), undefined)
    assert.deepEqual(page({ service: 'shop' }, { pagerdutyRoutingKey: 'db' }), { waitMs: 180_000, target: 'db' })
  })
  it('resolved incidents and quiet ones of the log agent do not page', () => {
    assert.equal(page({ status: 'resolved' }), undefined)
    assert.equal(page({ source: 'agent', severity: 'warning' }), undefined)
  })
})

describe('pages by an escalation', () => {
  const escalate = {
    enable: true,
    escalation: 'office',
    waits: new Map([
      ['office', 0],
      ['shop', 120_000],
    ]),
  }
  const settings =
    settingsOf(`${CHANNELS.replace('oncall: {', 'oncall: { escalations: { office: *one, shop: *one },').replace('office: *one', 'office: &one { steps: [{ notify: [person:ada] }] }')}
people: { ada: { ways: [{ chatws: U0ADA00001 }] } }
routes:
  - { name: both, match: { service: both }, oncall: { escalation: shop }, continue: true }
  - { name: after both, match: { service: both } }
  - { name: quiet, match: { service: batch }, oncall: { enable: false } }
  - { name: shop, match: { service: shop }, oncall: { escalation: shop } }
  - { name: soon, match: { service: soon }, oncall: { escalation: shop, wait_minutes: 1 } }
`)
  const pageWith = (given: Partial<PolicySettings>, service: string, overrides?: object) => {
    const { oncall: _, ...without } = settings
    return openDecide({ ...without, ...given }, labelsOf)(subjectOf({ service }), overrides, NOON).page
  }
  const page = (service: string, overrides?: object) => pageWith({ escalate }, service, overrides)

  it('need no provider: the wait is that of the request, else of the rule, else of the first step', () => {
    assert.deepEqual(page('db'), { waitMs: 0, escalation: 'office' })
    assert.deepEqual(page('shop'), { waitMs: 120_000, escalation: 'shop' })
    assert.deepEqual(page('soon'), { waitMs: 60_000, escalation: 'shop' })
    assert.deepEqual(page('soon', { oncallWaitMinutes: 2 }), { waitMs: 120_000, escalation: 'shop' })
  })
  it('are switched off and on as pages of the provider are', () => {
    assert.equal(page('batch'), undefined)
    assert.deepEqual(page('batch', { oncallEnable: true }), { waitMs: 0, escalation: 'office' })
    assert.equal(page('db', { oncallEnable: false }), undefined)
    assert.equal(pageWith({ escalate: { ...escalate, enable: false } }, 'db'), undefined)
  })
  it('of several rules the earliest counts, with its escalation', () => {
    assert.deepEqual(page('both'), { waitMs: 0, escalation: 'office' })
    const later = {
      ...escalate,
      waits: new Map([
        ['office', 300_000],
        ['shop', 120_000],
      ]),
    }
    assert.deepEqual(pageWith({ escalate: later }, 'both'), { waitMs: 120_000, escalation: 'shop' })
  })
  it('have the key that the request chose; without a default escalation the provider pages alone', () => {
    const oncall = { enable: true, waitMs: 180_000, provider: 'pagerduty' }
    assert.deepEqual(pageWith({ escalate, oncall }, 'shop', { pagerdutyRoutingKey: 'db' }), {
      waitMs: 120_000,
      target: 'db',
      escalation: 'shop',
    })
    const { escalation: _, ...none } = escalate
    assert.deepEqual(pageWith({ escalate: none, oncall }, 'db'), { waitMs: 180_000 })
    assert.equal(pageWith({ escalate: none }, 'db'), undefined)
  })
})

describe('targets of a request', () => {
  const decide = decideOf(`
routes:
  - { name: ops, match: { service: storage }, to: [{ chatws: ops }, { chatws: payments }, msgapp], templates: { chatws: a.tmpl } }
  - { name: none, to: none }
`)
  const asked = (targets: { readonly [channel: string]: string | null }, service = 'storage') =>
    decide(subjectOf({ service }), { targets }, NOON).destinations

  it('replace all destinations of their channel, with its template', () => {
    assert.deepEqual(asked({ chatws: 'night' }), [
      { channel: 'msgapp' },
      { channel: 'chatws', target: 'night', template: 'a.tmpl' },
    ])
  })
  it('null is the default destination', () => {
    assert.deepEqual(asked({ chatws: null }), [{ channel: 'msgapp' }, { channel: 'chatws', template: 'a.tmpl' }])
    assert.deepEqual(asked({ email: null }, 'other'), [{ channel: 'email' }])
  })
  it('add a channel that the rules leave out, when it is enabled', () => {
    assert.deepEqual(asked({ email: 'team' }, 'other'), [{ channel: 'email', target: 'team' }])
    assert.deepEqual(asked({ workchat: 'a', incident_io: 'b' }, 'other'), [])
  })
})

describe('without rules', () => {
  const settings = settingsOf(CHANNELS)
  const decide = openDefaultDecide(settings)

  it('every enabled channel is told, and on-call as configured', () => {
    assert.deepEqual(decide(subjectOf(), undefined, NOON), {
      destinations: [{ channel: 'chatws' }, { channel: 'msgapp' }, { channel: 'email' }],
      priority: 'high',
      page: { waitMs: 180_000 },
      rules: [],
    })
    assert.equal(decide(subjectOf(), undefined, NOON), decide(subjectOf({ service: 'x' }), undefined, NOON))
  })
  it('the priority follows the severity', () => {
    const priorities = ['fatal', 'error', 'warning', 'strange', 'info', 'debug'].map(
      (severity) => decide(subjectOf({ severity }), undefined, NOON).priority,
    )
    assert.deepEqual(priorities, ['high', 'normal', 'normal', 'normal', 'low', 'low'])
  })
  it('agrees with rules of which none matches', () => {
    const routed = decideOf('routes: [{ name: a, match: { service: nothing }, to: none }]')
    for (const over of [{}, { status: 'resolved' as const }, { severity: 'info' }])
      for (const overrides of [undefined, { targets: { email: 'team' } }, { oncallEnable: false }])
        assert.deepEqual(decide(subjectOf(over), overrides, NOON), routed(subjectOf(over), overrides, NOON))
  })
  it('without a provider nothing pages', () => {
    const { channels } = settings
    assert.equal(openDefaultDecide({ channels })(subjectOf(), { oncallEnable: true }, NOON).page, undefined)
  })
})

describe('the largest number of destinations', () => {
  const most = (routes: string) => mostDestinations(settingsOf(`${CHANNELS}${routes}`))
  it('counts rules that add up, and channels that a request may add', () => {
    assert.equal(most(''), 3)
    assert.equal(most('routes: [{ name: a, to: none }, { name: b, to: [chatws] }]'), 3)
    assert.equal(most('routes: [{ name: a, to: [chatws, { chatws: ops }, { chatws: payments }] }]'), 5)
    assert.equal(
      most(
        'routes: [{ name: a, to: [{ chatws: ops }], continue: true }, { name: b, to: [{ chatws: payments }, email] }]',
      ),
      4,
    )
  })
})
