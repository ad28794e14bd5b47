import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { check } from '../../../src/commands/check.ts'
import { importFrom } from '../../../src/commands/import/command.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { conditionsText } from '../../../src/policy/describe.ts'
import { folder } from '../../harness/config-file.ts'
import { startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { post } from '../../harness/requests.ts'

const ALERTMANAGER = `global:
  smtp_smarthost: mail.example.test:2525
  smtp_from: bell@example.test
route:
  receiver: everyone
  group_by: [alertname]
  group_wait: 30s
  group_interval: 10m
  repeat_interval: 4h
  routes:
    - receiver: quiet
      matchers: [severity="info"]
      group_by: ['...']
    - receiver: storage room
      matchers: ['team="storage"', 'path!="/tmp"']
      continue: true
      routes:
        - receiver: pager
          match_re: { severity: crit.*|page }
    - receiver: hook
      matchers: ['team=~"web|shop"']
      group_by: [alertname, cluster]
      group_interval: 5s
    - receiver: pager
      matchers: ['no matcher']
inhibit_rules:
  - source_matchers: [severity="critical"]
    target_matchers: [severity="warning"]
    equal: [alertname, cluster]
receivers:
  - name: everyone
    email_configs:
      - to: ops@example.test
  - name: quiet
  - name: storage room
    slack_configs:
      - channel: '#storage'
    telegram_configs:
      - bot_token_file: /etc/hidden
        chat_id: -100200
  - name: pager
    pagerduty_configs:
      - routing_key: key-of-the-test
  - name: hook
    webhook_configs:
      - url: http://hook.example.test
`

async function imported(t: TestContext, text = ALERTMANAGER) {
  const dir = folder()
  const from = join(dir, 'alertmanager.yml')
  writeFileSync(from, text.replace('/etc/hidden', join(dir, 'token')))
  writeFileSync(join(dir, 'token'), '1:token-of-the-test\n')
  const printed: string[] = []
  const log = t.mock.method(console, 'log', (line: string) => printed.push(line))
  const error = t.mock.method(console, 'error', (line: string) => printed.push(line))
  const out = join(dir, 'new')
  const code = await runCommand(importFrom, ['--from', from, '--out', out])
  log.mock.restore()
  error.mock.restore()
  return { code, out, from, file: join(out, 'config.yaml'), report: printed.join('\n') }
}

test('receivers become destinations, and routes rules of which the deepest comes first', async (t) => {
  const { file, report, code } = await imported(t)
  assert.equal(code, 1, 'the token of the chat is not set')
  assert.match(report, /to correct before a start:\n.*alert\.chatws\.token: is missing/)
  const { config, warnings } = loadConfig({ file, env: { SLACK_TOKEN: 'xoxb-1' } })
  assert.match(warnings.join(), /^\S+: public_host: is empty, so messages carry no link to acknowledge: [^\n]*$/)
  const { email, msgapp, chatws } = config.alert.channels
  assert.deepEqual([email.enable, msgapp.enable, chatws.enable, config.oncall.enable], [true, true, true, false])
  const options = email.options as { host: string; port: number; from: string; to: string }
  assert.deepEqual(
    [options.host, options.port, options.from, options.to],
    ['mail.example.test', 2525, 'bell@example.test', 'ops@example.test'],
  )
  assert.equal((msgapp.options as { token: string }).token, '1:token-of-the-test')
  assert.deepEqual([...config.oncall.pagerduty.otherRoutingKeys], [['pager', 'key-of-the-test']])
  assert.deepEqual(
    config.routes.map(({ name, conditions, to, oncall, continue: goesOn }) => [
      name,
      conditions.map(({ field, values }) => `${field} ${values.join()}`).join('; '),
      to?.map(({ channel, target }) => `${channel} ${target}`).join(),
      oncall?.target ?? oncall?.enable,
      goesOn,
    ]),
    [
      ['1 quiet', 'labels.severity info', '', false, false],
      ['2 pager', 'labels.team storage; labels.path !//tmp/; labels.severity /crit.*|page/', '', 'pager', false],
      [
        '3 storage-room',
        'labels.team storage; labels.path !//tmp/',
        'chatws storage-room,msgapp storage-room-2',
        false,
        true,
      ],
      ['4 hook', 'labels.team /web|shop/', undefined, false, false],
      ['5 everyone', '', 'email everyone', false, false],
    ],
  )
})

test('group_by and group_interval become the grouping of the rules, those of children first', async (t) => {
  const { file } = await imported(t)
  const { config } = loadConfig({ file, env: { SLACK_TOKEN: 'xoxb-1' } })
  const everyTenMinutes = { by: ['labels.alertname'], intervalMs: 600_000 }
  assert.deepEqual(
    config.routes.map(({ group }) => group),
    [
      'none',
      everyTenMinutes,
      everyTenMinutes,
      { by: ['labels.alertname', 'labels.cluster'], intervalMs: 600_000 },
      everyTenMinutes,
    ],
  )
})

test('inhibition rules become silences with while', async (t) => {
  const { file } = await imported(t)
  const { config } = loadConfig({ file, env: { SLACK_TOKEN: 'xoxb-1' } })
  assert.deepEqual(
    config.silences.map(({ name, equal, ...silence }) => [
      name,
      conditionsText({ conditions: silence.conditions }),
      conditionsText({ conditions: silence.while ?? [] }),
      equal,
    ]),
    [['inhibition 1', 'labels.severity warning', 'labels.severity critical', ['alertname', 'cluster']]],
  )
})

test('what has no counterpart is named with its line', async (t) => {
  const { report, from } = await imported(t)
  const lineOf = (text: string) => ALERTMANAGER.split('\n').findIndex((line) => line.includes(text)) + 1
  for (const [path, text, message] of [
    ['route.group_wait', 'group_wait: 30s', 'nothing waits'],
    ['route.routes.2.group_interval', 'group_interval: 5s', 'a time from 10s'],
    ['route.repeat_interval', 'repeat_interval', 'noise.repeats.remind'],
    ['inhibit_rules.0', 'source_matchers', 'became a silence until'],
    ['receivers.4.webhook_configs.0', 'http://hook', 'the receiver hook does without it'],
    ['receivers.4', 'name: hook', 'its alerts go to every enabled channel'],
    ['route.routes.3.matchers', 'no matcher', 'write the rule by hand'],
  ] as const) {
    const line = report.split('\n').find((each) => each.includes(`: ${path}: `)) ?? ''
    assert.ok(line.startsWith(`${from}:${lineOf(text)}: `) && line.includes(message), `${path}: ${line}`)
  }
})

test('a file that cannot be read leaves nothing behind', async (t) => {
  for (const text of ['route: [unclosed', 'only text']) {
    const { code, out, report } = await imported(t, text)
    assert.deepEqual([code, existsSync(out)], [1, false])
    assert.match(report, /alertmanager\.yml: cannot be read as YAML/)
  }
  const { file } = await imported(t, 'receivers: []\n')
  assert.match(readFileSync(file, 'utf8'), /data_dir/)
})

test('the service runs on it: the check passes, and an alert goes to the receiver of its route', async (t) => {
  const mail = await startStandIn(t, 'email')
  const text = ALERTMANAGER.replace('mail.example.test:2525', `127.0.0.1:${mail.port}`)
    .replace('  smtp_from', '  smtp_require_tls: false\n  smtp_from')
    .replace(/ {4}- receiver: storage room[\s\S]* {4}- receiver: hook/, '    - receiver: hook')
    .replace(/ {2}- name: storage room[\s\S]*chat_id: -100200\n/, '')
  const { code, file, report } = await imported(t, text)
  assert.equal(code, 0, report)
  assert.equal(await runCommand(check, ['--config', file]), 0)
  const { url } = await startProcess(t, file)
  const alert = (severity: string, name: string) => ({
    status: 'firing',
    alerts: [{ status: 'firing', labels: { alertname: name, severity }, annotations: {} }],
    commonLabels: { alertname: name, severity },
  })
  assert.equal((await post(url, alert('info', 'Chatter'))).status, 201)
  assert.equal((await post(url, alert('critical', 'DiskFull'))).status, 201)
  const received = await mail.waitFor(({ body }) => body.includes('DiskFull'))
  assert.deepEqual(received.recipients, ['ops@example.test'])
  assert.ok(mail.requests.every(({ body }) => !body.includes('Chatter')))
})

const WITH_INTERVALS = `global: { resolve_timeout: 10m }
route:
  receiver: all
  routes:
    - receiver: all
      matchers: [team="web"]
      mute_time_intervals: [nights, month end]
    - receiver: all
      matchers: [team="db"]
      active_time_intervals: [office]
    - receiver: all
      matchers: [team="x"]
      active_time_intervals: [month end]
receivers: [{ name: all, webhook_configs: [{ url: http://hook.example.test }] }]
time_intervals:
  - name: nights
    time_intervals:
      - times: [{ start_time: '20:00', end_time: '24:00' }, { start_time: '00:00', end_time: '06:30' }]
        weekdays: ['monday:friday', sunday]
        location: Europe/Berlin
  - name: office
    time_intervals: [{ times: [{ start_time: '09:00', end_time: '17:00' }], weekdays: ['monday:friday'] }]
mute_time_intervals:
  - name: month end
    time_intervals: [{ days_of_month: ['-3:-1', '1'], months: ['january:march', '12'], years: ['2026'] }]
  - name: strange
    time_intervals: [{ days_of_month: ['40'] }]
`

test('time intervals become schedules, and mute and active intervals of a route silences', async (t) => {
  const { file, report } = await imported(t, WITH_INTERVALS)
  const { config } = loadConfig({ file, env: {} })
  assert.equal(config.intake.alertmanager.resolveTimeoutMs, 600_000)
  const berlin = { timeZone: 'Europe/Berlin' }
  const nights = [
    { cron: '0 20 * * 1,2,3,4,5,0', forMs: 4 * 3_600_000, ...berlin },
    { cron: '0 0 * * 1,2,3,4,5,0', forMs: 6.5 * 3_600_000, ...berlin },
  ]
  const monthEnd = [
    {
      rrule: 'FREQ=DAILY;BYMONTH=1,2,3,12;BYMONTHDAY=-3,-2,-1,1',
      start: '2026-01-01T00:00',
      forMs: 24 * 3_600_000,
      timeZone: 'UTC',
    },
  ]
  assert.deepEqual(Object.fromEntries(config.schedules), {
    nights,
    office: [{ cron: '0 9 * * 1,2,3,4,5', forMs: 8 * 3_600_000, timeZone: 'UTC' }],
    month_end: monthEnd,
  })
  const afterWork = (day: number, hours: number) => ({
    cron: `0 17 * * ${day}`,
    forMs: hours * 3_600_000,
    timeZone: 'UTC',
  })
  assert.deepEqual(
    config.silences.map(({ name, conditions, schedule }) => [name, conditions[0]?.values, schedule]),
    [
      ['mute nights of route.routes.0', ['web'], nights],
      ['mute month end of route.routes.0', ['web'], monthEnd],
      ['outside office of route.routes.1', ['db'], [1, 2, 3, 4, 5].map((day) => afterWork(day, day === 5 ? 64 : 16))],
    ],
  )
  for (const message of [
    'mute_time_intervals.0.time_intervals.0.years: is not taken over',
    'mute_time_intervals.1.time_intervals.0: is not taken over: a range in it cannot be read',
    'route.routes.2.active_time_intervals: month end is not taken over',
  ])
    assert.ok(report.includes(message), `${message}\n${report}`)
})

/** Keys of Alertmanager's configuration beside those of receivers, as its documentation lists them. */
const ALL_KEYS = `global: {}
templates: []
route:
  receiver: all
  group_by: [alertname]
  continue: false
  matchers: []
  match: {}
  match_re: {}
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  mute_time_intervals: []
  active_time_intervals: []
  labels: {}
  routes: []
inhibit_rules:
  - name: one
    source_match: { a: b }
    source_match_re: {}
    source_matchers: []
    target_match: { a: c }
    target_match_re: {}
    target_matchers: []
    equal: []
receivers: [{ name: all }]
mute_time_intervals: []
time_intervals: []
tracing: {}
event_recorder: {}
`

test('every key of the file and of a route is known; one that is not is named', async (t) => {
  const { report } = await imported(t, ALL_KEYS)
  assert.doesNotMatch(report, /that this program knows/)
  const misspelt = await imported(
    t,
    ALL_KEYS.replace('repeat_interval', 'repeat_intervall').replace('tracing', 'trace'),
  )
  assert.match(misspelt.report, /yml:12: route\.repeat_intervall: is not a key of a route that this program knows/)
  assert.match(misspelt.report, /yml:29: trace: is not a key of Alertmanager that this program knows/)
})
