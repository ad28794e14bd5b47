import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOf } from '../../../src/config/load.ts'
import { secretValues } from '../../../src/config/secrets.ts'
import { issuesOf, load } from '../setup.ts'

const CHANNELS = `
alert:
  chatws: { enable: true, token: t, channel_id: C0, other_channel_ids: { room: C1 } }
  email: { enable: true, smtp_host: mx, to: a@example.com, from: b@example.com }
public_host: https://tocsin.example.com
`
const PEOPLE = `
people:
  ada:
    name: Ada Lovelace
    time_zone: Europe/London
    ways: [{ chatws: U0ADA00001 }, { email: ada@example.com, after: 2m }, { gateway: phone, to: "+441", after: 5m }]
    quiet: { hours: "22:00-07:00", below: warning }
  ben: { ways: [{ provider: pagerduty, routing_key: bens-key, after: 3m }] }
`
const ONCALL = `
oncall:
  enable: true
  provider: pagerduty
  pagerduty: { routing_key: main-key, other_routing_keys: { boss: boss-key } }
  escalation: office
  gateways: { phone: { url: "https://calls.example.com/a-long-secret-path", secret: calls-secret } }
  schedules:
    primary: { layers: [{ start: 2026-01-05, every: 1 week, members: [ada, ben] }] }
  escalations:
    office:
      steps:
        - { notify: [schedule:primary] }
        - { after: 8m, notify: [person:ada, channel:chatws:room] }
        - { after: 10m, notify: [provider:pagerduty:boss], min_severity: high }
      ack_for: 2h
`
const WHOLE = CHANNELS + PEOPLE + ONCALL

/** Asserts the one error of the whole file with a part replaced, for each line of `part => other => error`. */
function refuses(cases: string): void {
  for (const [part = '', other = '', error] of cases
    .trim()
    .split('\n')
    .map((line) => line.split(' => '))) {
    assert.ok(WHOLE.includes(part), part)
    const found = issuesOf(WHOLE.replace(part, other)).map((line) => line.replace(/^config\.yaml:\d+: /, ''))
    assert.deepEqual(found, [error])
  }
}

test('a file without escalations has no rules of on-call, with and without people who have ways', () => {
  for (const yaml of ['', CHANNELS + PEOPLE.replace('{ gateway: phone, to: "+441", after: 5m }', '')]) {
    const { config } = load(yaml)
    assert.equal('oncallRules' in config, false)
    assert.equal('personal' in config, false)
  }
  assert.deepEqual(load(CHANNELS + PEOPLE).config.people.get('ada'), { name: 'Ada Lovelace', ids: {} })
})

test('rules have steps, ways as destinations, and defaults; addresses are apart', () => {
  const { config, warnings } = load(WHOLE)
  assert.deepEqual(warnings, [])
  const { oncallRules: rules, personal } = config
  assert.deepEqual(rules?.escalations.get('office'), {
    name: 'office',
    steps: [
      { afterMs: 0, notify: [{ kind: 'schedule', name: 'primary' }] },
      {
        afterMs: 480_000,
        notify: [
          { kind: 'person', name: 'ada' },
          { kind: 'channel', channel: 'chatws', target: 'room' },
        ],
      },
      { afterMs: 600_000, notify: [{ kind: 'provider', target: 'boss' }], minRank: 1 },
    ],
    repeat: 2,
    repeatAfterMs: 600_000,
    ackForMs: 7_200_000,
  })
  assert.deepEqual(rules.people.get('ada'), {
    name: 'Ada Lovelace',
    timeZone: 'Europe/London',
    ways: [
      { kind: 'channel', channel: 'chatws', target: 'person:ada:1', afterMs: 0 },
      { kind: 'channel', channel: 'email', target: 'person:ada:2', afterMs: 120_000 },
      { kind: 'gateway', gateway: 'phone', to: '+441', afterMs: 300_000 },
    ],
    quiet: { from: 22 * 60, until: 7 * 60, belowRank: 2 },
  })
  assert.deepEqual(rules.people.get('ben'), {
    name: 'ben',
    timeZone: 'UTC',
    ways: [{ kind: 'provider', target: 'person:ben:1', afterMs: 180_000 }],
  })
  assert.equal(rules.escalation, 'office')
  assert.deepEqual([...rules.gatewayPaces], [['phone', 120_000]])
  assert.deepEqual(personal?.provider, new Map([['person:ben:1', 'bens-key']]))
  assert.deepEqual(
    personal.channels,
    new Map([
      ['chatws', new Map([['person:ada:1', 'U0ADA00001']])],
      ['email', new Map([['person:ada:2', 'ada@example.com']])],
    ]),
  )
  assert.deepEqual(config.oncallOverrides, { api: true, maxMs: 35 * 86_400_000 })
  assert.deepEqual(config.oncallFeeds, { enable: true, revision: 1 })
})

test('telephone numbers, mail addresses and keys of people are secrets, as are gateways', () => {
  const loaded = load(WHOLE)
  const shown = JSON.stringify(reportOf(loaded))
  const secrets = secretValues(loaded.config)
  for (const each of [
    '+441',
    'ada@example.com',
    'bens-key',
    'calls-secret',
    'https://calls.example.com/a-long-secret-path',
  ]) {
    assert.equal(shown.includes(each), false, each)
    assert.ok(secrets.includes(each), each)
  }
})

test('what is written wrongly is refused with what would be right', () => {
  refuses(`
{ chatws: U0ADA00001 } => { chatws: room } => people.ada.ways.0.chatws: must be the id of a user, such as U0123ABCD (got "room")
{ chatws: U0ADA00001 } => { email: "a@example.com, b@example.com" } => people.ada.ways.0.email: must be one mail address
{ chatws: U0ADA00001 } => { after: 1m } => people.ada.ways.0: must have one of chatws, msgapp, messenger, email, ntfy, gateway, provider, with a value (got a map)
to: "+441",  =>  => people.ada.ways.2.to: is missing: the gateway needs it
routing_key: bens-key => routing_key: "" => people.ben.ways.0.routing_key: is missing: it says whom pagerduty pages
22:00-07:00 => 22:00 => people.ada.quiet.hours: must be two times such as "22:00-07:00" (got "22:00")
below: warning => below: loud => people.ada.quiet.below: must be a severity: critical, high, warning, info or debug (got "loud")
Europe/London => Europe/Lodnon => people.ada.time_zone: is not a time zone such as Europe/Berlin (got "Europe/Lodnon")
after: 8m => after: 30s => oncall.escalations.office.steps.1.after: must be at least 1m, counted from the step before (got "30s")
after: 8m => after: 8d => oncall.escalations.office.steps.1.after: must be at most 7d (got "8d")
ack_for: 2h => ack_for: 1m => oncall.escalations.office.ack_for: must be a time from 5m to 365d (got "1m")
ack_for: 2h => repeat: 11 => oncall.escalations.office.repeat: must be a whole number from 0 to 10 (got 11)
channel:chatws:room => channel:pigeon => oncall.escalations.office.steps.1.notify.1: "pigeon" is no channel; known: chatws, msgapp, messenger, officechat, workchat, email, console, ntfy (got "channel:pigeon")
schedule:primary] => primary] => oncall.escalations.office.steps.0.notify.0: must be like schedule:NAME, person:NAME, channel:CHANNEL, channel:CHANNEL:NAME, provider:PROVIDER or provider:PROVIDER:NAME (got "primary")
`)
})

test('what names nothing is refused with the nearest name', () => {
  refuses(`
schedule:primary] => schedule:primry] => oncall.escalations.office.steps.0.notify.0: "primry" is not the name of a schedule of oncall; did you mean "primary"?
person:ada => person:eda => oncall.escalations.office.steps.1.notify.0: "eda" is not the name of a person; did you mean "ada"?
chatws:room => chatws:rooom => oncall.escalations.office.steps.1.notify.1: "rooom" is not the name of another destination; did you mean "room"?
channel:chatws:room => channel:ntfy => oncall.escalations.office.steps.1.notify.1: ntfy is not enabled: enable it, or name another channel
pagerduty:boss => pagerduty:bos => oncall.escalations.office.steps.2.notify.0: "bos" is not the name of another destination; did you mean "boss"?
provider:pagerduty:boss => provider:servicenow => oncall.escalations.office.steps.2.notify.0: "servicenow" is not the chosen provider; oncall.provider is pagerduty
escalation: office => escalation: offic => oncall.escalation: "offic" is not the name of an escalation; did you mean "office"?
gateway: phone => gateway: fone => people.ada.ways.2.gateway: "fone" is not the name of a gateway; did you mean "phone"?
{ chatws: U0ADA00001 } => { msgapp: 4711 } => people.ada.ways.0.msgapp: msgapp is not enabled: enable it, or choose another way
secret: calls-secret => secret: "" => oncall.gateways.phone.secret: is missing: the gateway needs it
ways: [{ provider: pagerduty, routing_key: bens-key, after: 3m }] => name: Ben => oncall.schedules.primary.layers.0.members.1: ben cannot be reached: give people.ben a way
`)
  const withRule = (rule: string) => issuesOf(`${WHOLE}\nroutes: [{ name: shop, oncall: { ${rule} } }]`)
  assert.match(
    withRule('escalation: ofice')[0] ?? '',
    /"ofice" is not the name of an escalation; did you mean "office"\?$/,
  )
})

test('two people of one name are refused: runs would take them for one', () => {
  assert.deepEqual(issuesOf(WHOLE.replace('  ben:', '  lovelace: { name: Ada Lovelace }\n  ben:')), [
    'config.yaml:13: people.lovelace.name: is also the name of ada: runs would take them for one person',
  ])
  refuses(
    'ben: { ways => ben: { name: ada, ways => people.ben.name: is also the name of ada: runs would take them for one person',
  )
})

test('a schedule of rules is named as such', () => {
  const [issue] = issuesOf(`${WHOLE.replace('schedule:primary]', 'schedule:nights]')}
schedules: { nights: [{ cron: "0 22 * * *", for: 8h }] }`)
  assert.match(issue ?? '', /"nights" is a schedule of rules: name one of oncall.schedules, which have people$/)
})

test('an escalation that asks channels alone is refused', () => {
  const only = ONCALL.replace(/steps:[\s\S]*ack_for/, 'steps: [{ notify: [channel:chatws] }]\n      ack_for')
  assert.match(issuesOf(CHANNELS + PEOPLE + only)[0] ?? '', /office: has no step that asks a person or the provider$/)
})

test('the provider is needed where a step or a way names it, and nowhere else', () => {
  const without = WHOLE.replace(/ {2}provider: pagerduty\n.*\n/, '')
  const plain = without.replace('{ provider: pagerduty, routing_key: bens-key, after: 3m }', '{ chatws: U0BEN00001 }')
  const free = plain.replace('[provider:pagerduty:boss]', '[person:ben]')
  const { config } = load(free)
  assert.equal(config.oncall.enable, true)
  assert.equal(config.oncallRules?.escalation, 'office')
  assert.match(
    issuesOf(free.replace('  escalation: office\n', ''))[0] ?? '',
    /oncall.webhook.url: is missing, but oncall is enabled/,
  )
  const keyless = WHOLE.replace('routing_key: main-key, ', '')
  assert.match(issuesOf(keyless)[0] ?? '', /routing_key: is missing, but the escalation office names the provider/)
  const byWay = keyless.replace('[provider:pagerduty:boss]', '[person:ben]')
  assert.match(issuesOf(byWay)[0] ?? '', /routing_key: is missing, but ben has it as a way/)
})

test('what works and is probably not meant is a warning', () => {
  const warned = (part: string, other: string) => load(WHOLE.replace(part, other)).warnings
  assert.deepEqual(warned('[schedule:primary]', '[schedule:primary, provider:pagerduty]'), [
    'config.yaml:26: oncall.escalations.office.steps.0.notify.1: is before the last step: an acknowledgement at the provider does not come back, so the later steps run all the same',
  ])
  assert.deepEqual(warned('after: 5m }', 'after: 9m }'), [
    'config.yaml:11: people.ada.ways.2.after: is not before what follows step 1 of office, so others are asked first',
  ])
  assert.deepEqual(warned('[schedule:primary]', '[person:ada]'), [
    'config.yaml:13: people.ben.ways: no escalation uses them',
    'config.yaml:22: oncall.schedules.primary: no escalation uses it',
  ])
  const rule = load(`${WHOLE.replace('enable: true\n  provider', 'enable: false\n  provider')}
routes: [{ name: shop, oncall: { escalation: office } }]`)
  assert.match(rule.warnings.join(), /routes.0.oncall.escalation: pages only for requests that ask for it/)
})
