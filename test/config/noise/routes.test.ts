import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { issueOf, issuesOf, load } from '../setup.ts'

const rule = (text: string) => `routes:\n  - { name: a, ${text} }\n`

describe('routes', () => {
  it('keeps the lines of rules and conditions', () => {
    const { config } = load(`
alert: { chatws: { other_channel_ids: { payments: C1 } } }
schedules:
  office: [{ cron: "0 8 * * MON-FRI", for: 10h, time_zone: Europe/Berlin }]
routes:
  - name: payments
    match:
      service: pay*
      labels.code: [500, "502"]
    during: office
    to: [chatws, { chatws: payments }]
    oncall: { enable: true, wait_minutes: 0.5 }
    priority: high
    templates: { chatws: templates/payments.tmpl }
  - { name: chatter, match: { severity: [info, debug] }, to: none, continue: true }
  - { name: rest }
`)
    assert.deepEqual(config.routes, [
      {
        name: 'payments',
        where: 'config.yaml:6',
        conditions: [
          { field: 'service', values: ['pay*'], where: 'config.yaml:8' },
          { field: 'labels.code', values: ['500', '502'], where: 'config.yaml:9' },
        ],
        during: 'office',
        continue: false,
        to: [{ channel: 'chatws' }, { channel: 'chatws', target: 'payments' }],
        oncall: { enable: true, waitMs: 30_000 },
        priority: 'high',
        templates: new Map([['chatws', 'templates/payments.tmpl']]),
      },
      {
        name: 'chatter',
        where: 'config.yaml:15',
        conditions: [{ field: 'severity', values: ['info', 'debug'], where: 'config.yaml:15' }],
        continue: true,
        to: [],
        oncall: {},
        templates: new Map(),
      },
      { name: 'rest', where: 'config.yaml:16', conditions: [], continue: false, oncall: {}, templates: new Map() },
    ])
    assert.deepEqual(
      [...config.schedules],
      [['office', [{ cron: '0 8 * * MON-FRI', forMs: 36_000_000, timeZone: 'Europe/Berlin' }]]],
    )
  })

  const faults: readonly [text: string, issue: RegExp][] = [
    ['match: { servce: a }', /^config\.yaml:2: routes\.0\.match\.servce: is not a field; known: sender, /],
    ['match: { service: "/(/" }', /match\.service: is not a regular expression that RE2 takes/],
    ['match: { service: "/(?=a)b/" }', /match\.service: is not a regular expression that RE2 takes/],
    ['match: { service: [a, "!b"] }', /match\.service: mixes values with and without "!"/],
    ['match: { service: [] }', /match\.service: must be at least 1/],
    ['match: { service: }', /match\.service: is empty: write ""/],
    ['match: { min_severity: loud }', /min_severity: must be one of critical, high, warning, info/],
    ['match: { labels.a: true }', /labels\.a: must be text or a list of texts/],
    ['to: []', /routes\.0\.to: is an empty list: write "none"/],
    ['to: chatws', /routes\.0\.to: must be a list of channels, or "none": write \[chatws\]/],
    ['to: [chat]', /routes\.0\.to\.0: is no channel; known: chatws, /],
    ['to: [{ chatws: a, email: b }]', /routes\.0\.to\.0: must hold one channel/],
    ['to: [{ chatws: ops }]', /routes\.0\.to\.0: "ops" is not the name of another destination; none is configured/],
    ['during: night', /routes\.0\.during: "night" is not the name of a schedule; none is configured/],
    ['templates: { chat: a }', /routes\.0\.templates\.chat: is no channel/],
    ['priority: urgent', /routes\.0\.priority: must be one of high, normal, low/],
    ['group: all', /routes\.0\.group: must be "none", or a map such as \{ by: /],
    ['group: {}', /^config\.yaml:2: routes\.0\.group\.by: must be a list of fields to group by/],
    ['group: { by: labels.a }', /routes\.0\.group\.by: must be a list/],
    ['group: { by: [alertname] }', /routes\.0\.group\.by\.0: is not a field; known: .*labels\.<name>/],
    ['group: { by: [labels.a, labels.a] }', /routes\.0\.group\.by\.1: is listed twice/],
    ['group: { by: [status] }', /routes\.0\.group\.by\.0: is no field to group by/],
    ['group: { by: [labels.a, title, 3] }', /routes\.0\.group\.by\.2: must be text/],
    ['group: { by: [], intervall: 5m }', /routes\.0\.group\.intervall: is not known; did you mean "interval"\?/],
    ['group: { by: [], interval: 5s }', /routes\.0\.group\.interval: must be a time from 10s/],
    ['oncall: { wait_minutes: -1 }', /routes\.0\.oncall\.wait_minutes: must be a number of minutes/],
    ['oncall: { routing_key: db }', /routing_key: "db" is not the name of another destination; none is configured/],
  ]
  for (const [text, expected] of faults)
    it(`refuses ${text}`, () => {
      assert.match(issueOf(rule(text)), expected)
    })

  it('refuses two rules of one name, and reports it beside other errors', () => {
    const issues = issuesOf('routes:\n  - { name: a, to: [] }\n  - { name: a }\nport: x\n')
    assert.deepEqual(
      issues.map((issue) => issue.split(': ').slice(0, 2).join(': ')),
      ['config.yaml:2: routes.0.to', 'config.yaml:3: routes.1.name', 'config.yaml:4: port'],
    )
  })
  it('suggests the nearest name', () => {
    assert.match(
      issueOf(`alert: { chatws: { other_channel_ids: { payments: C1 } } }\n${rule('to: [{ chatws: payment }]')}`),
      /did you mean "payments"\?/,
    )
  })
  it('knows the other destinations of every channel that has some', () => {
    load(`
alert:
  msgapp: { other_channel_ids: { a: "1" } }
  officechat: { other_flow_urls: { a: "https://a" } }
  email: { other_recipients: { a: [x@example.com, y@example.com] } }
  workchat: { other_webhook_urls: { a: "https://a" } }
oncall: { provider: pagerduty, pagerduty: { other_routing_keys: { db: k } } }
${rule('to: [{ msgapp: a }, { officechat: a }, { email: a }, { workchat: a }], oncall: { routing_key: db }')}`)
  })
})

describe('schedules', () => {
  const faults: readonly [window: string, issue: RegExp][] = [
    ['for: 1h', /schedules\.a\.0: must have a "cron" or an "rrule"/],
    [
      'cron: "0 8 * * *", rrule: "FREQ=DAILY", for: 1h',
      /schedules\.a\.0: must have a "cron" or an "rrule", and not both/,
    ],
    ['cron: "0 8 * *", for: 1h', /schedules\.a\.0\.cron: /],
    ['cron: "0 8 * * *"', /schedules\.a\.0\.for: must be a time with a unit.*nothing is given/],
    ['cron: "0 8 * * *", for: 1s', /schedules\.a\.0\.for: must be a time from 1m to 365d/],
    ['cron: "0 8 * * *", for: 1h, time_zone: Mars', /schedules\.a\.0\.time_zone: is not a time zone/],
    ['rrule: "FREQ=DAILY", for: 1h', /schedules\.a\.0\.rrule: needs a "start"/],
    ['rrule: "FREQ=HOURLY", start: 2026-01-06T02:00, for: 1h', /rrule: must be a rule such as/],
    ['rrule: "FREQ=WEEKLY;BYDAY=XX", start: 2026-01-06T02:00, for: 1h', /rrule: Invalid BYDAY/],
    ['rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", start: 2026-01-06T02:00, for: 1h', /rrule: Maximum iterations/],
  ]
  for (const [window, expected] of faults)
    it(`refuses ${window}`, () => {
      assert.match(issueOf(`schedules: { a: [{ ${window} }] }`), expected)
    })
  it('a rule that pages while on-call is off is warned about when the provider is not complete', () => {
    const warnings = (more: string) =>
      load(`${rule('oncall: { enable: true }')}public_host: "https://a"\n${more}`).warnings
    assert.match(
      warnings('oncall: { provider: pagerduty }').join(),
      /oncall\.pagerduty\.routing_key: is missing, but the rule "a" pages; set it or ONCALL_PAGERDUTY_ROUTING_KEY$/,
    )
    assert.deepEqual(warnings('oncall: { provider: pagerduty, pagerduty: { routing_key: k } }'), [])
  })
})

describe('storm', () => {
  const storms = (yaml: string) => load(yaml).config.alert.channels

  it('has the reading rate of the kind, and is off where programs read', () => {
    const { chatws, msgapp, email, workchat, officechat, console } = storms('{}')
    assert.deepEqual(chatws.storm, { enable: true, withinMs: 60_000, rate: { perSecond: 1, burst: 4 } })
    assert.deepEqual(msgapp.storm.rate, { perSecond: 0.33, burst: 5 })
    assert.deepEqual(email.storm, { enable: true, withinMs: 300_000, rate: { perSecond: 0.5, burst: 20 } })
    assert.deepEqual(workchat.storm.rate, { perSecond: 1, burst: 5 })
    assert.deepEqual(officechat.storm.rate, { perSecond: 1, burst: 4 })
    assert.equal(console.storm.enable, false)
    assert.equal(storms('alert: { chatws: { rate: { per_second: 1000, burst: 1000 } } }').chatws.storm.enable, false)
  })
  it('has the rate of the file, and its own keys before it', () => {
    assert.deepEqual(storms('alert: { email: { rate: { per_second: 10 } } }').email.storm.rate, {
      perSecond: 10,
      burst: 20,
    })
    const { email } = storms('alert: { email: { storm: { enable: false, within: 2m, rate: { burst: 3 } } } }')
    assert.deepEqual(email.storm, { enable: false, withinMs: 120_000, rate: { perSecond: 0.5, burst: 3 } })
  })
  it('has the default of all channels, which a channel may change', () => {
    const { chatws, msgapp } = storms(
      'noise: { storm: { enable: false, within: 30s } }\nalert: { msgapp: { storm: { enable: true } } }',
    )
    assert.deepEqual([chatws.storm.enable, chatws.storm.withinMs], [false, 30_000])
    assert.deepEqual([msgapp.storm.enable, msgapp.storm.withinMs], [true, 30_000])
    assert.match(issueOf('noise: { storm: { within: 1s } }'), /noise\.storm\.within: must be a time from 10s/)
  })
})
