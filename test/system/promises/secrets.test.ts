import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Provider, type Reply, startProvider } from '../../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, operate, post, SECRET } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'

const PLANTED = {
  gateway: SECRET,
  intake: 'intake-token-planted',
  chatws: 'xoxb-planted-token',
  msgapp: '770011:planted-token',
  messenger: 'viber-planted-token',
  flow: 'sig+of/the=planted-flow',
  otherFlow: 'sig-of-the-other-planted-flow',
  hook: 'lark-planted-token',
  signing: 'lark-planted-signing-secret',
  smtp: 'smtp-planted-"password"',
  webhook: 'webhook-planted-secret',
  pagerduty: 'pagerduty-planted-routing-key',
  incidentIo: 'incident-io-planted-key',
  ai: 'sk-planted-ai-key',
  cloud: 'cloud-planted-secret-key',
}

/** Paths that an operator reads. */
const PATHS = [
  '/api/admin/incidents',
  '/api/admin/deliveries',
  '/api/admin/deliveries?state=dead',
  '/api/admin/channels',
  '/api/admin/config',
  '/api/admin/stats',
  '/api/admin/topic',
  '/api/admin/templates',
  '/api/agent/status',
  '/api/agent/detect',
  '/api/agent/ai/system-prompt',
  '/api/openapi.json',
  '/metrics',
  '/readyz',
  '/healthz',
  '/',
]

test('no secret leaves, though every provider repeats what it is sent: not in logs, attempts, errors or answers', async (t) => {
  const providers = await rudeProviders(t)
  const { chatws, msgapp, messenger, officechat, workchat, email, webhook } = providers
  const other_flow_urls = { night: `${officechat.url}/flow?sig=${PLANTED.otherFlow}` }
  const alert = {
    chatws: { enable: true, token: PLANTED.chatws, channel_id: 'C1', api_url: chatws.url, ...FAST },
    msgapp: { enable: true, token: PLANTED.msgapp, channel_id: '1', api_url: msgapp.url, ...FAST },
    messenger: { enable: true, token: PLANTED.messenger, channel_id: 'V1', api_url: messenger.url, ...FAST },
    officechat: { enable: true, flow_url: flowUrl(officechat), other_flow_urls, ...FAST },
    workchat: { enable: true, token: PLANTED.hook, secret: PLANTED.signing, api_url: workchat.url, ...FAST },
    email: { enable: true, smtp_host: '127.0.0.1', smtp_port: email.port, ...MAIL, ...FAST },
  }
  const oncall = {
    enable: true,
    wait_minutes: 0,
    provider: 'webhook',
    webhook: { url: `${webhook.url}/page?token=${PLANTED.webhook}`, secret: PLANTED.webhook },
    pagerduty: { routing_key: PLANTED.pagerduty },
    incident_io: { api_key: PLANTED.incidentIo, alert_source_config_id: 'cfg' },
  }
  const file = configFile(folder(), {
    alert,
    oncall,
    log: { level: 'debug' },
    http: { intake_token: PLANTED.intake },
    agent: { ai: { api_key: PLANTED.ai } },
    topicsvc: { secret_access_key: PLANTED.cloud },
    delivery: { attempts: 2, backoff: { initial: '20ms', max: '50ms' }, timeout: '5s', circuit: { failures: 1000 } },
  })
  const { url, output } = await startProcess(t, file)
  const authorization = { Authorization: `Bearer ${PLANTED.intake}` }
  const ids: string[] = []
  for (const query of ['', '?officechat_other_flow_url=night']) {
    const answer = await fetch(`${url}/api/incidents${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization },
      body: JSON.stringify({ ServiceName: 'ledger', severity: 'critical' }),
    })
    ids.push(answer.headers.get('x-incident-id') ?? '')
  }
  const details = await Promise.all(ids.map((id) => ended(url, id)))
  await webhook.waitFor(() => true)

  const seen: { [where: string]: string } = { output: '', details: details.join('\n') }
  for (const name of Object.keys(alert))
    seen[`test of ${name}`] = await text(url, `/api/admin/channels/${name}/test`, 'POST')
  for (const path of PATHS) seen[path] = await text(url, path)
  seen.unauthorized = await (await post(url, {}, { Authorization: 'Bearer wrong' })).text()
  seen.output = output()
  assert.match(seen.output, /a delivery is dead/)
  assert.match(seen.details ?? '', /\[redacted\]/)
  for (const [where, shown] of Object.entries(seen))
    for (const [name, secret] of Object.entries(PLANTED))
      for (const spelling of spellingsOf(secret))
        assert.ok(!shown.includes(spelling), `${name} in ${where}: ${around(shown, spelling)}`)
})

const MAIL = { username: 'bell@example.test', password: PLANTED.smtp, to: 'oncall@example.test', tls: 'none' }
const flowUrl = ({ url }: Provider) =>
  `${url}/workflows/main/invoke?api-version=1&sig=${encodeURIComponent(PLANTED.flow)}`

/** Starts stand-ins that refuse everything and repeat what they received, credentials included. */
async function rudeProviders(t: TestContext) {
  const http = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'webhook'] as const
  const started = await Promise.all(http.map((kind) => startProvider(kind)))
  const email = await startProvider('email', { login: { user: 'nobody', pass: 'else' } })
  t.after(() => Promise.all([...started, email].map((provider) => provider.close())))
  for (const provider of started)
    provider.script = ({ url, headers, body }): Reply => ({
      status: 500,
      body: `${url} ${headers.authorization} ${headers['x-viber-auth-token']} ${body}`,
    })
  const [chatws, msgapp, messenger, officechat, workchat, webhook] = started as [
    Provider,
    Provider,
    Provider,
    Provider,
    Provider,
    Provider,
  ]
  return { chatws, msgapp, messenger, officechat, workchat, webhook, email }
}

function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64')
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64])]
}

const around = (text: string, part: string) => text.slice(Math.max(0, text.indexOf(part) - 80), text.indexOf(part) + 80)

/** Returns the record of an incident as text, once all its deliveries have ended. */
async function ended(url: string, id: string): Promise<string> {
  const detail = async () => await admin<{ notify_status: string }>(url, `/api/admin/incidents/${id}`)
  return JSON.stringify(await until(detail, ({ notify_status }) => notify_status === 'failed'))
}

async function text(url: string, path: string, method = 'GET'): Promise<string> {
  return (await operate(url + path, undefined, method)).text()
}
