import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { CHART } from '../../deploy/helm.ts'
import { loadConfig } from '../../src/config/load.ts'
import { freePort } from '../harness/net/port.ts'
import { configOf, Rendered } from './support.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Paths of all leaves, except below keys that operators choose. */
function paths(tree: unknown, at = ''): string[] {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree) || /\bother_\w+$/.test(at)) return [at]
  return Object.entries(tree).flatMap(([key, below]) => paths(below, at === '' ? key : `${at}.${key}`))
}

/** Keys that the chart leaves to the service's defaults or to its environment. */
const LEFT_OUT = new RegExp(
  [
    String.raw`^alert\.\w+\.(concurrency|mailbox|insecure_skip_verify|agent_template_path|on_failure|(rate|storm|proxy|answers)\..*)$`,
    String.raw`^alert\.(officechat\.other_flow_urls|email\.other_recipients|workchat\.other_webhook_urls|ntfy\.other_topics)$`,
    String.raw`^(routes|schedules|silences|noise|heartbeats|people|answers|intake|slo|models)\b|^delivery\.failover_after$`,
    String.raw`^oncall\.(public_host|escalation|overrides\..*|feeds\..*)$|^agent\.(sources_path|ai\.provider)$|^storage\.postgres\.|^replica\.`,
  ].join('|'),
)

test('the chart knows every key of the configuration, and no other', () => {
  const { config } = loadConfig({ file: undefined, env: { CONFIG_PATH: undefined } })
  const known = paths(config.effective).filter((path) => !LEFT_OUT.test(path))
  assert.deepEqual(paths(new Rendered().config).sort(), known.sort())
})

test('keys that only `config` can set are named beside it', () => {
  const { config } = loadConfig({ file: undefined, env: { CONFIG_PATH: undefined } })
  const values = readFileSync(join(CHART, 'values.yaml'), 'utf8')
  const named = values.slice(values.indexOf('# Further keys'), values.indexOf('\nconfig: {}'))
  const own = /^(storage|replica|oncall\.public_host|alert\.officechat\.other_flow_urls)\b/
  for (const path of paths(config.effective).filter((path) => LEFT_OUT.test(path) && !own.test(path))) {
    const [section = '', ...rest] = path.split('.')
    const key = section === 'alert' ? (rest[1] ?? '') : /^(delivery|agent)$/.test(section) ? path : section
    assert.ok(named.includes(key) || values.includes(`${key.replaceAll(/_(\w)/g, (_, c) => c.toUpperCase())}`), path)
  }
})

test('what the chart says by default is what the service does by default', () => {
  const { config } = loadConfig({ file: undefined, env: {} })
  const rendered = new Rendered().config
  const valueAt = (tree: unknown, path: string) =>
    path.split('.').reduce<unknown>((at, key) => (at as { [key: string]: unknown })[key], tree)
  const own = /^(name|storage\.file\.data_dir)$/
  for (const path of paths(rendered)) {
    const value = valueAt(rendered, path)
    if (own.test(path) || (typeof value === 'string' && value.startsWith('${'))) continue
    assert.deepEqual(value, valueAt(config.effective, path), path)
  }
})

test('the example of three replicas renders, and keeps its secrets out of the values', () => {
  const values = parse(readFileSync(join(CHART, '../three-replicas.yaml'), 'utf8'))
  const rendered = new Rendered(values)
  assert.equal(rendered.one('Deployment').spec.replicas, 3)
  assert.equal(rendered.all('Secret').length, 0)
  assert.equal(rendered.config.public_host, 'https://tocsin.example.net')
})

test('the Job that moves to PostgreSQL runs a command that exists, as the user of the service', (t) => {
  const job = parse(readFileSync(join(CHART, '../../kubernetes/migrate-to-postgres.yaml'), 'utf8'))
  const { containers, securityContext } = job.spec.template.spec
  const { args, env, securityContext: own } = containers[0]
  assert.equal(securityContext.runAsUser, new Rendered().pod.spec.securityContext.runAsUser)
  assert.deepEqual(own, new Rendered().container.securityContext)
  const variables = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-chart-'))
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/tocsin.js', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      ...variables,
      STORAGE_FILE_DATA_DIR: dir,
      STORAGE_POSTGRES_URL: 'postgres://u:hunter2@127.0.0.1:1/t',
    },
  })
  // It reads its kind of storage and its directory from the variables of the Job, and finds the volume empty.
  assert.equal(run.status, 2, run.stdout)
  assert.match(run.stderr, /there is no tocsin\.db in .*tocsin-chart-/)
})

const SETS: readonly (readonly [what: string, values: object])[] = [
  ['the defaults', {}],
  [
    'every channel',
    {
      publicHost: 'https://tocsin.example.test',
      alert: {
        chatws: {
          enable: true,
          token: 'a',
          channelId: 'C1',
          otherChannelIds: { ops: 'C2' },
          rate: { perSecond: 2, burst: 4 },
        },
        msgapp: { enable: true, token: 'b', channelId: -1001 },
        messenger: { enable: true, token: 'c', channelId: 'd' },
        officechat: {
          enable: true,
          flowUrl: 'https://x.test/a?sig=1',
          otherFlowUrls: { qc: 'https://x.test/b?sig=2' },
        },
        workchat: { enable: true, token: 'e' },
        email: {
          enable: true,
          smtpHost: 'mail.test',
          from: 'a@x.test',
          to: 'b@x.test',
          username: 'a',
          password: 'p',
          tls: 'require',
        },
      },
    },
  ],
  [
    'on-call, the topic and the agent',
    {
      publicHost: 'https://tocsin.example.test',
      gatewaySecret: 'a-gateway-secret',
      oncall: {
        enable: true,
        provider: 'pagerduty',
        waitMinutes: 0.5,
        pagerduty: { routingKey: 'k', otherRoutingKeys: { dba: 'l' } },
      },
      mcp: {
        tokens: { laptop: 'a-token-of-24-characters-', ops: 'b-token-of-24-characters-' },
        acting: { ops: { act_on: { service: 'pay*' } } },
      },
      topicsvc: {
        enable: true,
        topicArn: 'arn:aws:sns:eu-north-1:000011112222:incidents',
        httpsEndpointSubscription: 'https://tocsin.example.test',
        accessKeyId: 'a',
        secretAccessKey: 'b',
      },
      agent: {
        enable: true,
        mode: 'detect',
        sources: [{ name: 'push', type: 'http' }],
        regex: { rules: [{ name: 'pay', pattern: 'charge (failed)' }] },
        ai: { enable: true, apiKey: 'sk' },
      },
      storage: { persistence: { enabled: true } },
    },
  ],
  ['own words of the configuration', { config: { delivery: { attempts: 3 } } }],
  [
    'a proxy of one channel',
    {
      alert: { msgapp: { enable: true, token: 'b', channelId: -1001, proxy: { url: 'socks5://proxy.test:1080' } } },
    },
  ],
]

for (const [what, values] of SETS)
  test(`\`tocsin check\` finds nothing wrong with ${what}`, (t) => {
    const rendered = new Rendered(values)
    const { file } = configOf(t, rendered)
    const check = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'src/tocsin.js', 'check', '--config', file],
      { cwd: ROOT, encoding: 'utf8', env: { PATH: process.env.PATH, ...rendered.credentials } },
    )
    assert.equal(check.status, 0, check.stdout + check.stderr)
    assert.doesNotMatch(check.stdout + check.stderr, /warn|unknown|not set/i)
  })

test('a proxy of a channel reaches the service, with its password from a variable', (t) => {
  const proxy = { url: 'socks5://proxy.test:1080', username: 'bell', password: `$\{PROXY_PASSWORD}` }
  const rendered = new Rendered({ alert: { msgapp: { proxy }, workchat: { insecureSkipVerify: true } } })
  const { file } = configOf(t, rendered)
  const { channels } = loadConfig({ file, env: { ...rendered.credentials, PROXY_PASSWORD: 'p@ss' } }).config.alert
  assert.equal(channels.msgapp.network.proxy, 'socks5://bell:p%40ss@proxy.test:1080')
  assert.deepEqual(channels.workchat.network, { proxy: '', insecureSkipVerify: true })
  assert.deepEqual(channels.chatws.network, { proxy: '', insecureSkipVerify: false })
})

test("the container's arguments, variables and configuration start the service, and SIGTERM ends it in good order", async (t) => {
  const rendered = new Rendered({
    gatewaySecret: 'of-the-chart',
    templates: { files: { 'console.tmpl': 'chart says {{ .Logs }}\n' } },
  })
  const { file, dir } = configOf(t, rendered)
  writeFileSync(join(dir, 'console.tmpl'), 'chart says {{ .Logs }}\n')
  const port = await freePort()
  const { args, env } = rendered.container
  assert.ok(!('command' in rendered.container), 'the entrypoint of the image runs')
  const variables = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      'src/tocsin.js',
      ...args.map((arg) => (arg === '/etc/tocsin/config.yaml' ? file : arg)),
    ],
    { cwd: ROOT, env: { PATH: process.env.PATH, ...variables, ...rendered.credentials, PORT: String(port) } },
  )
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + 30_000
  const until = async (met: () => Promise<boolean>) => {
    while (!(await met().catch(() => false))) {
      assert.ok(Date.now() < deadline, output)
      await pause(50)
    }
  }
  await until(async () => (await fetch(`${url}/readyz`)).ok)
  const body = JSON.stringify({ Logs: 'hello' })
  const created = await fetch(`${url}/api/incidents`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  })
  assert.equal(created.status, 201)
  await until(async () => output.includes('chart says hello'))
  const headers = { 'X-Gateway-Secret': 'of-the-chart' }
  assert.equal((await fetch(`${url}/api/admin/incidents`, { headers })).status, 200)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})
