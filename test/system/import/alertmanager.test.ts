import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { check } from '../../../src/commands/check.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { conditionsText } from '../../../src/policy/describe.ts'
import { post } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { imported } from './imported.ts'

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

test('receivers become destinations, and routes rules of which the deepest comes first', async (t) => {
  const { file, report, code } = await imported(t, ALERTMANAGER)
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
      ['2 pager', 'labels.team storage; labels.path !/tmp; labels.severity /crit.*|page/', '', 'pager', false],
      [
        '3 storage-room',
        'labels.team storage; labels.path !/tmp',
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
  const { file } = await imported(t, ALERTMANAGER)
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
  const { file } = await imported(t, ALERTMANAGER)
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
  const { report, from } = await imported(t, ALERTMANAGER)
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
