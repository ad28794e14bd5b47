// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ConfigError, valueAt } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load.ts'
import { issueOf, issuesOf, load } from './setup.ts'

describe('values', () => {
  it('turns times into milliseconds', () => {
    const { config } = load(
      'delivery: {timeout: 1m30s, backoff: {initial: 500ms, max: 1h}}\nagent: {poll_interval: 2d, new_service_grace: 0s}',
    )
    assert.equal(config.delivery.timeoutMs, 90_000)
    assert.deepEqual(config.delivery.retry, { attempts: 12, initialMs: 500, maxMs: 3_600_000 })
    assert.equal(config.agent.pollIntervalMs, 2 * 86_400_000)
    assert.equal(config.agent.newServiceGraceMs, 0)
  })
  it('refuses a time without a unit and says how to write one', () => {
    assert.equal(
      issueOf('delivery:\n  timeout: 30'),
      'config.yaml:2: delivery.timeout: must be a time with a unit, such as "500ms", "30s" or "1h30m" (got "30")',
    )
    assert.match(issueOf('delivery: {timeout: soon}'), /must be a time with a unit/)
    assert.match(issueOf('delivery: {timeout: 400d}'), /from 1ms to 365d/)
  })
  it('takes a number where text is wanted, exactly as it is written', () => {
    const { config } = load(
      'name: 007\nalert: {msgapp: {enable: true, token: 42, channel_id: -1001234567890123456789}}',
    )
    assert.equal(config.name, '007')
    const { token, channel_id } = valueAt(config.effective, ['alert', 'msgapp']) as {
      token: unknown
      channel_id: unknown
    }
    assert.deepEqual([token, channel_id], ['42', '-1001234567890123456789'])
  })
  it('treats a key without a value as left out', () => {
    const { config, origins } = load('port:\nalert:\nstorage:\n  file:\n    data_dir: ~\n')
    assert.equal(config.port, 3000)
    assert.equal(config.storage.dataDir, './data')
    assert.equal(origins.get('storage.file.data_dir'), 'default')
  })
  it('accepts port 0', () => {
    assert.equal(load('port: 0').config.port, 0)
  })
  it('resolves anchors, aliases and merge keys', () => {
    const yaml =
      'alert:\n  msgapp: &slow {concurrency: 2, mailbox: 9}\n  chatws: {<<: *slow, mailbox: 7}\n  email: *slow\n'
    const { channels } = load(yaml).config.alert
    assert.deepEqual([channels.chatws.concurrency, channels.chatws.mailbox], [2, 7])
    assert.equal(channels.email.mailbox, 9)
    assert.equal(
      issueOf('alert:\n  console: &bad\n    mailbox: none\n  chatws: {<<: *bad, mailbox: 1}\n'),
      'config.yaml:3: alert.console.mailbox: must be a whole number from 1 to 1000000 (got "none")',
    )
  })
  it('turns the console on exactly while every other channel is off', () => {
    const chat = 'chatws: {enable: true, token: t, channel_id: C}'
    assert.equal(load('').config.alert.channels.console.enable, true)
    assert.equal(load(`alert: {${chat}}`).config.alert.channels.console.enable, false)
    assert.equal(load(`alert: {${chat}, console: {enable: true}}`).config.alert.channels.console.enable, true)
    assert.equal(load('alert: {console: {enable: false}}').config.alert.channels.console.enable, false)
    assert.match(issueOf('alert: {console: {enable: maybe}}'), /must be true, false or auto \(got "maybe"\)/)
  })
  it('uses the public_host of the on-call section when the general one is empty', () => {
    assert.equal(load('oncall: {public_host: "https://a.example/"}').config.publicHost, 'https://a.example')
    assert.equal(
      load('public_host: https://b.example\noncall: {public_host: "https://a.example"}').config.publicHost,
      'https://b.example',
    )
  })
  it('can be posted to a thread', () => {
    const { config } = load('oncall: {pagerduty: {other_routing_keys: {dba: k}}}')
    assert.deepEqual(structuredClone(config), config)
    assert.deepEqual(config.oncall.pagerduty.otherRoutingKeys, new Map([['dba', 'k']]))
  })
})

describe('origins', () => {
  it('name the layer of every value', () => {
    const { origins } = load('name: x\nalert: {officechat: {other_flow_urls: {qc: "http://a"}}}', {
      env: { PORT: '1', OFFICECHAT_OTHER_FLOW_URL_OPS: 'http://b' },
    })
    assert.equal(origins.get('name'), 'file')
    assert.equal(origins.get('port'), 'env PORT')
    assert.equal(origins.get('host'), 'default')
    assert.equal(origins.get('alert.officechat.other_flow_urls.qc'), 'file')
    assert.equal(origins.get('alert.officechat.other_flow_urls.ops'), 'env OFFICECHAT_OTHER_FLOW_URL_OPS')
    assert.equal(origins.get('alert.chatws.rate.per_second'), 'default')
  })
})

describe('errors', () => {
  it('are reported all at once, in the order of the file, with path and line', () => {
    const yaml = `name: acceptance
port: 70000
alert:
  chatws:
    enable: perhaps
delivery:
  attempts: none
  backoff: 5s
storage:
  type: cloudbucket
agent:
  mode: dreaming
  sources: {}
  regex:
    rules:
      - {name: a, pattern: "("}
public_host: localhost
`
    const issues = issuesOf(yaml, { env: { AGENT_ENABLE: 'true', LOG_LEVEL: 'loud', METRICS_PORT: '99999' } })
    assert.deepEqual(issues.slice(0, 7), [
      'config.yaml:2: port: must be a whole number from 0 to 65535 (got 70000)',
      'config.yaml:5: alert.chatws.enable: must be true or false (got "perhaps")',
      'config.yaml:7: delivery.attempts: must be a whole number from 1 to 100000 (got "none")',
      'config.yaml:8: delivery.backoff: must be a map of keys (got "5s")',
      'config.yaml:10: storage.type: must be one of file, postgres (got "cloudbucket")',
      'config.yaml:12: agent.mode: must be one of training, shadow, detect (got "dreaming")',
      'config.yaml:13: agent.sources: must be a list (got a map)',
    ])
    assert.match(issues[7] ?? '', /^config\.yaml:16: agent\.regex\.rules\.0\.pattern: is not a regular expression/)
    assert.deepEqual(issues.slice(8), [
      'config.yaml:17: public_host: must be an address that begins with http:// or https:// (got "localhost")',
      'environment variable METRICS_PORT: metrics.port: must be a whole number from 0 to 65535 (got 99999)',
      'environment variable LOG_LEVEL: log.level: must be one of info, debug, warn, error (got "loud")',
    ])
  })
  it('never show what may be secret', () => {
    const issue = issueOf('alert: {officechat: {enable: true, flow_url: "ftp://hush"}}')
    assert.equal(
      issue,
      'config.yaml:1: alert.officechat.flow_url: must be an address that begins with http:// or https://',
    )
    assert.doesNotMatch(issueOf('gateway_secret: [hush]'), /hush/)
    assert.match(issueOf('public_host: ftp://u:hush@a'), /\(got "ftp:\/\/\*\*\*@a"\)/)
    assert.equal(
      issueOf('port: ${HUSH}', { env: { HUSH: 'hush-hush' } }),
      'config.yaml:1: port: must be a whole number from 0 to 65535 (from "${HUSH}")',
    )
    assert.doesNotMatch(issueOf('', { env: { OFFICECHAT_ENABLE: 'true', OFFICECHAT_FLOW_URL: 'hush://x' } }), /hush/)
  })
  it('name line and column of broken YAML', () => {
    const issue = issuesOf(
      'name: acceptance\nhost: 127.0.0.1\nalert:\n  chatws: { enable: true, token: "x\nport: 1\n',
    )[0]
    assert.match(issue ?? '', /^config\.yaml:[3456]:\d+: is not valid YAML: /)
  })
  it('name a key that appears twice in one map', () => {
    assert.equal(
      issueOf('alert:\n  chatws:\n    token: a\n    "token": b\n'),
      'config.yaml:4:5: the key token appears twice in the same map',
    )
  })
  it('name a file that is missing, and a folder', () => {
    const missing = () => loadConfig({ file: '/nowhere/config.yaml', env: {} })
    assert.throws(missing, {
      message: '/nowhere/config.yaml: cannot be read: it does not exist',
      code: 'config_invalid',
    })
    assert.throws(() => loadConfig({ env: { CONFIG_PATH: '/' } }), { message: '/: cannot be read: it is a folder' })
  })
  it('refuse a file that is not a map', () => {
    for (const yaml of ['- a', 'hello', '5']) assert.equal(issueOf(yaml), 'config.yaml: must hold a map of keys')
  })
  it('stay on one line for any key', () => {
    assert.equal(load('alert: {officechat: {other_flow_urls: {"a\\nb": "http://x"}}}').warnings.length, 1)
    assert.equal(issuesOf('schedules: {"a\\nb": [{cron: "0 8 * * *", for: 1h}]}').length, 1)
  })
})

describe('the file that is read', () => {
  const inFolder = (run: (folder: string) => void) => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'))
    const before = process.cwd()
    try {
      process.chdir(folder)
      run(folder)
    } finally {
      process.chdir(before)
      rmSync(folder, { recursive: true })
    }
  }
  it('is the named one, else CONFIG_PATH, else none at all', () => {
    inFolder(() => {
      writeFileSync('a.yaml', 'name: a')
      writeFileSync('b.yaml', 'name: b')
      assert.equal(loadConfig({ file: 'a.yaml', env: { CONFIG_PATH: 'b.yaml' } }).config.name, 'a')
      assert.equal(loadConfig({ env: { CONFIG_PATH: 'b.yaml' } }).config.name, 'b')
      assert.equal(loadConfig({ env: { CONFIG_PATH: '' } }).config.name, 'tocsin')
    })
  })
  it('may be empty', () => {
    assert.deepEqual(load('').config, load('# nothing\n').config)
  })
})

it('the error has a class of its own', () => {
  assert.throws(() => load('port: x'), ConfigError)
})
