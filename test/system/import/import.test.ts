// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { check } from '../../../src/commands/check.ts'
import { importFrom } from '../../../src/commands/import/command.ts'
import { runCommand } from '../../../src/commands/run-command.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { until } from '../../harness/until.ts'
import { VERSUS, versusFolder } from './versus.ts'

const SECRET = 'gateway-secret-of-the-import'

async function run(t: TestContext, command: typeof importFrom, ...args: string[]) {
  const printed: string[] = []
  const log = t.mock.method(console, 'log', (text: string) => printed.push(text))
  const error = t.mock.method(console, 'error', (text: string) => printed.push(text))
  const code = await runCommand(command, args)
  log.mock.restore()
  error.mock.restore()
  return { code, text: printed.join('\n') }
}

async function imported(t: TestContext, configuration = VERSUS) {
  const dir = versusFolder(configuration)
  const out = join(folder(), 'new')
  const { code, text } = await run(t, importFrom, dir, '--out', out)
  const file = join(out, 'config.yaml')
  return { dir, out, file, code, report: text, yaml: existsSync(file) ? readFileSync(file, 'utf8') : '' }
}

test('references stay, keys get our names with a comment, and their switches still work', async (t) => {
  const { code, yaml, file, report, out } = await imported(t)
  assert.equal(code, 0, report)
  assert.match(yaml, /# was alert\.slack\n {2}chatws:/)
  assert.match(yaml, /token: \$\{SLACK_TOKEN\}/)
  assert.match(yaml, /button_text: I have it/)
  assert.match(yaml, /# was alert\.telegram\.bot_token\n {4}token: \$\{TELEGRAM_BOT_TOKEN\}/)
  assert.match(yaml, /# was alert\.msteams\.power_automate_url\n {4}flow_url: \$\{MSTEAMS_POWER_AUTOMATE_URL\}/)
  const env = {
    ...{ SLACK_ENABLE: 'true', SLACK_TOKEN: 'xoxb-1', SLACK_CHANNEL_ID: 'C1', PROXY_PASSWORD: 'p@ss' },
    ...{ PROXY_URL: 'socks5://proxy.example.test', MSTEAMS_OTHER_POWER_URL_QC: 'http://flow.example.test/qc' },
    AWS_INCIDENT_MANAGER_OTHER_RESPONSE_PLAN_ARN_INFRA: 'arn:aws:ssm-incidents::111122223333:response-plan/infra',
  }
  const { config } = loadConfig({ file, env })
  const { chatws, msgapp, messenger, officechat } = config.alert.channels
  assert.deepEqual([chatws.enable, msgapp.enable], [true, false])
  assert.equal(chatws.templatePath, join(out, 'templates/chatws.tmpl'))
  assert.equal(chatws.agentTemplatePath, join(out, 'templates/agent_chatws.tmpl'))
  assert.match(readFileSync(chatws.agentTemplatePath, 'utf8'), /found by the agent/)
  assert.equal(msgapp.network.proxy, 'socks5://bell:p%40ss@proxy.example.test:1080')
  assert.equal(chatws.network.proxy, '')
  assert.equal((messenger.options as { channelId: string }).channelId, 'person==')
  assert.deepEqual([...(officechat.options as { others: Map<string, string> }).others.keys()], ['qc'])
  assert.deepEqual([...config.oncall.awsIncidentManager.otherResponsePlanArns.keys()], ['infra'])
  assert.match(yaml, /rules:\n {6}- name: oom-killer\n {8}pattern: .*\n {6}- name: panic\n/)
  assert.deepEqual(
    [config.agent.ai.provider, config.agent.ai.url, config.agent.ai.model, config.agent.ai.schema],
    ['openai_compatible', 'https://api.deepseek.com/v1', 'deepseek-chat', 'json_object'],
  )
  assert.match(yaml, /# was deepseek\n {4}provider: openai_compatible/)
  assert.match(yaml, /openai_compatible:\n {4}api_key: \$\{AGENT_AI_API_KEY\}/)
  assert.deepEqual([config.name, config.oncall.waitMs, config.storage.maxIncidents], ['bells', 300_000, 700])
})

test('the address of a model is taken over where ours is configured, and named where ours is fixed', async (t) => {
  const given = (provider: string) =>
    imported(t, VERSUS.replace('provider: deepseek', `provider: ${provider}\n    base_url: http://models.example.test`))
  const ollama = await given('ollama')
  assert.match(ollama.yaml, /url: http:\/\/models\.example\.test/)
  assert.doesNotMatch(ollama.report, /agent\.ai\.base_url/)
  for (const provider of ['openai', 'claude']) {
    const { yaml, report } = await given(provider)
    assert.doesNotMatch(yaml, /^ +url: http:\/\/models/m)
    assert.match(report, /agent\.ai\.base_url: (has no counterpart|was removed)/)
  }
})

test('what has no counterpart is named with its line, in the report and in the file', async (t) => {
  const { report, yaml, dir } = await imported(t)
  for (const [path, message] of [
    ['alert.slack.message_properties.button_style', 'the button has one style'],
    ['alert.telegram.template_path', 'there is no file config/gone.tmpl'],
    ['queue.sqs.enable', 'let a function post the messages'],
    ['redis.host', 'is not needed'],
    ['agent.lookback', 'has no counterpart'],
    ['agent.catalog.spike_abs_ceiling', 'has no counterpart'],
    ['source app.file.max_line_bytes', 'has no counterpart'],
    ['source cloud.type', 'cloudwatchlogs has no counterpart'],
  ] as const) {
    const line = report.split('\n').find((each) => each.includes(`: ${path}: `)) ?? ''
    assert.ok(line.includes(message) && /\.yaml:\d+: /.test(line), `${path}: ${line}`)
    assert.ok(yaml.includes(`# ${line}`), line)
  }
  const at = VERSUS.split('\n').findIndex((line) => line.includes('lookback')) + 1
  assert.match(report, new RegExp(`${join(dir, 'config/config.yaml')}:${at}: agent.lookback`))
})

test('nothing is overwritten, and a failed import leaves nothing behind', async (t) => {
  const dir = versusFolder()
  const out = join(folder(), 'new')
  mkdirSync(out)
  const { code, text } = await run(t, importFrom, dir, '--out', out)
  assert.deepEqual([code, existsSync(join(out, 'config.yaml'))], [2, false])
  assert.match(text, /exists, and nothing is overwritten/)
  writeFileSync(join(dir, 'data/incidents.json'), '{"incidents": [')
  const other = join(folder(), 'other')
  const broken = await run(t, importFrom, dir, '--out', other)
  assert.deepEqual([broken.code, existsSync(other)], [1, false])
  assert.match(broken.text, /incidents\.json: cannot be read/)
  assert.equal((await run(t, importFrom, folder(), '--out', other)).code, 1)
  assert.equal((await run(t, importFrom)).code, 2)
  const half = await run(t, importFrom, versusFolder('alert: [unclosed'), '--out', other)
  assert.deepEqual([half.code, existsSync(other)], [1, false])
})

test('a configuration that lacks a value is written, and the exit code says that it needs one', async (t) => {
  const { code, report, file } = await imported(
    t,
    VERSUS.replace('slack:\n    enable: false', 'slack:\n    enable: true'),
  )
  assert.equal(code, 1)
  assert.ok(existsSync(file))
  assert.match(report, /to correct before a start:\n.*alert\.chatws\.token: is missing/)
})

interface Listed {
  readonly incidents: readonly {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly created_at: string
  }[]
}

test('the service runs on it: the check passes, history and patterns are there, new incidents come after', async (t) => {
  const { file, dir } = await imported(t)
  const checked = await run(t, check, '--config', file)
  assert.equal(checked.code, 0, checked.text)
  const { url, output } = await startProcess(t, file, { GATEWAY_SECRET: SECRET })
  const ask = async (path: string) =>
    (await fetch(url + path, { headers: { 'x-gateway-secret': SECRET } })).json() as Promise<unknown>
  const incidents = async () => ((await ask('/api/admin/incidents')) as Listed).incidents
  const before = await incidents()
  assert.deepEqual(
    before.map(({ status, created_at }) => [status, created_at]),
    [
      ['resolved', '2026-10-21T08:00:00.000Z'],
      ['resolved', '2026-10-20T08:00:00.500Z'],
    ],
  )
  assert.equal(before[1]?.title, 'Checkout is slow')
  assert.equal((await post(url, { title: 'A new one' })).status, 201)
  await until(incidents, (listed) => listed.length === 3 && listed[0]?.title === 'A new one')
  interface Patterns {
    readonly patterns: readonly { readonly template: string; readonly count: number; readonly verdict: string }[]
  }
  const learned = async () => ((await ask('/api/agent/patterns')) as Patterns).patterns
  const counted = (await learned()).reduce((sum, { count }) => sum + count, 0)
  assert.ok(counted >= 1_048)
  const lines = [
    '2026-11-02T10:00:00.123Z ERROR pool 17 exhausted after 250 ms',
    'ERROR pool 18 exhausted after 90 ms',
    '2026-11-02 10:00:00,123 ERROR pool 5 exhausted after 7 ms',
  ]
  appendFileSync(join(dir, 'logs/app.log'), `${lines.join('\n')}\n`)
  const after = await until(learned, (all) => all.reduce((sum, { count }) => sum + count, 0) >= counted + lines.length)
  assert.ok(
    after.every(({ template, verdict }) => !template.includes('exhausted') || verdict === 'known'),
    JSON.stringify(after),
  )
  assert.doesNotMatch(output(), /raised an incident/)
})
