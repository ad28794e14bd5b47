import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

/** Payloads in the shapes that senders document. */
const PAYLOADS = [
  { Logs: 'ERROR: timeout', ServiceName: 'orders', UserID: 'U0' },
  {
    receiver: 'r',
    status: 'firing',
    alerts: [{ status: 'firing', labels: { alertname: 'A' }, annotations: {} }],
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: '',
  },
  { action: 'created', data: { issue: { id: '1', title: 'TypeError', level: 'error' } }, installation: { uuid: 'u' } },
  {
    AlarmName: 'cpu',
    NewStateValue: 'ALARM',
    NewStateReason: 'high',
    Region: 'eu',
    StateChangeTime: '2026-01-01T00:00:00Z',
    Trigger: {},
  },
  { date: 1741964966.5, log: 'panic', stream: 'stderr', kubernetes: { pod_name: 'p', labels: { app: 'cart' } } },
  { event: 'text of a log platform' },
  {
    receiver: 'r',
    status: 'firing',
    orgId: 1,
    state: 'alerting',
    title: '[FIRING:1] Disk',
    message: 'full',
    alerts: [{ status: 'firing', labels: { alertname: 'Disk', service: 'db' }, annotations: {}, values: { B: 91 } }],
  },
  { ruleId: 7, ruleName: 'Latency', state: 'alerting', message: 'slow', evalMatches: [{ metric: 'p99', value: 3 }] },
  { sid: 's', search_name: 'Errors', results_link: 'http://search.example.test', result: { _raw: 'ERROR pool' } },
  { event_definition_title: 'Errors', event: { message: 'too many', source: 'web', priority: 3, alert: true } },
  { Type: 'Notification', MessageId: 'm', TopicArn: 'arn:aws:sns:eu-1:1:t', Message: '{"AlarmName":"cpu"}' },
  { Source: 'AI Agent', Title: 'Pool exhausted', Severity: 'high', Category: 'unknown', Template: 'pool <*>' },
  { title: 'Own words', description: 'of a script', severity: 1, labels: null, log: 42 },
]
/** Parameters, and where the message of the channel has to arrive. */
const COMMANDS = [
  ['', 'chatws', 'C0MAIN'],
  ['chatws_channel_id=C0ONCALL', 'chatws', 'C0ONCALL'],
  ['slack_channel_id=C0ONCALL', 'chatws', 'C0ONCALL'],
  ['chatws_other_channel_id=oncall', 'chatws', 'C0ONCALL'],
  ['chatws_channel_id=C0NOBODY', 'chatws', 'C0MAIN'],
  ['msgapp_chat_id=-100200', 'msgapp', '-100200'],
  ['telegram_chat_id=-100200', 'msgapp', '-100200'],
  ['msgapp_other_channel_id=team', 'msgapp', '-100200'],
  ['msgapp_chat_id=nobody', 'msgapp', '-1001'],
  ['messenger_channel_id=dGVhbQ==', 'messenger', 'dGVhbQ=='],
  ['viber_user_id=dGVhbQ==', 'messenger', 'dGVhbQ=='],
  ['messenger_user_id=dGVhbQ==', 'messenger', 'dGVhbQ=='],
  ['viber_channel_id=dGVhbQ==', 'messenger', 'dGVhbQ=='],
  ['viber_channel_id=nobody', 'messenger', 'bWFpbg=='],
  ['officechat_other_flow_url=qc', 'officechat', '/triggers/qc'],
  ['msteams_other_power_url=qc', 'officechat', '/triggers/qc'],
  ['officechat_other_webhook_url=qc', 'officechat', '/triggers/qc'],
  ['officechat_other_flow_url=nobody', 'officechat', '/triggers/main'],
  ['workchat_other_webhook_url=dev', 'workchat', '/hook/dev'],
  ['lark_other_webhook_url=dev', 'workchat', '/hook/dev'],
  ['workchat_other_webhook_url=nobody', 'workchat', '/hook/main'],
  ['oncall_enable=1', 'chatws', 'C0MAIN'],
  ['oncall_enable=true', 'chatws', 'C0MAIN'],
  ['oncall_wait_minutes=0', 'chatws', 'C0MAIN'],
  ['oncall_wait_minutes=5', 'chatws', 'C0MAIN'],
  ['oncall_wait_minutes=soon', 'chatws', 'C0MAIN'],
  ['awsim_other_response_plan=prod', 'chatws', 'C0MAIN'],
  ['servicenow_other_instance=dev', 'chatws', 'C0MAIN'],
  ['incidentio_other_alert_source=dba', 'chatws', 'C0MAIN'],
  ['pagerduty_other_routing_key=db', 'chatws', 'C0MAIN'],
  ['email_subject=hello', 'chatws', 'C0MAIN'],
  ['email_to=somebody@example.test', 'chatws', 'C0MAIN'],
  ['unknown_parameter=1', 'chatws', 'C0MAIN'],
  ['slack_channel_id=C0ONCALL&oncall_enable=false', 'chatws', 'C0ONCALL'],
] as const

test('documented commands of other gateways are accepted, and their messages arrive where they say', async (t) => {
  const start = async (kind: (typeof COMMANDS)[number][1]) => {
    const provider = await startStandIn(t, kind)
    return provider
  }
  const chatws = await start('chatws')
  const msgapp = await start('msgapp')
  const messenger = await start('messenger')
  const officechat = await start('officechat')
  const workchat = await start('workchat')
  const providers = { chatws, msgapp, messenger, officechat, workchat }
  const on = { enable: true, ...FAST, storm: { enable: false } }
  const alert = {
    chatws: {
      ...on,
      token: 'xoxb-1',
      channel_id: 'C0MAIN',
      other_channel_ids: { oncall: 'C0ONCALL' },
      api_url: chatws.url,
    },
    msgapp: { ...on, token: '1:a', channel_id: '-1001', other_channel_ids: { team: '-100200' }, api_url: msgapp.url },
    messenger: {
      ...on,
      token: 't',
      channel_id: 'bWFpbg==',
      other_channel_ids: { team: 'dGVhbQ==' },
      api_url: messenger.url,
    },
    officechat: {
      ...on,
      flow_url: `${officechat.url}/triggers/main`,
      other_flow_urls: { qc: `${officechat.url}/triggers/qc` },
    },
    workchat: {
      ...on,
      webhook_url: `${workchat.url}/open-apis/bot/v2/hook/main`,
      other_webhook_urls: { dev: `${workchat.url}/open-apis/bot/v2/hook/dev` },
    },
  }
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  for (const [at, [query, channel, place]] of COMMANDS.entries()) {
    const mark = `command-${at}-of-many`
    const answer = await post(url, { ServiceName: mark, Logs: mark }, {}, `?${query}`)
    assert.equal(answer.status, 201, query)
    const { url: path, body } = await providers[channel].waitFor((request) => request.body.includes(mark))
    assert.ok(`${path} ${body}`.includes(place), `${query}: ${path} ${body}`)
  }
  for (const [at, payload] of PAYLOADS.entries()) assert.equal((await post(url, payload)).status, 201, `payload ${at}`)
  await until(async () => chatws.posts === COMMANDS.length + PAYLOADS.length)
})
