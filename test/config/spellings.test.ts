import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { valueAt } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load.ts'
import { issueOf, issuesOf, load } from './setup.ts'

describe('spellings of other gateways', () => {
  const YAML = `alert:
  msgapp: {enable: true, bot_token: t-1, chat_id: -77}
  messenger: {enable: true, api_type: bot, bot_token: t-2, user_id: U1, channel_id: C1}
  officechat: {enable: true, power_automate_url: "http://a/1", other_power_urls: {qc: "http://a/2"}}
agent:
  sources: [{name: app, type: loki, loki: {address: "http://l", query: "{}", bearer_token: t-3}}]
`
  it('are taken, with a warning that names ours', () => {
    const { config, warnings } = load(YAML)
    const { msgapp, messenger, officechat } = config.alert.channels
    const optionsOf = (channel: { options: unknown }, ...keys: string[]) =>
      keys.map((key) => valueAt(channel.options, [key]))
    assert.deepEqual(optionsOf(msgapp, 'token', 'channelId'), ['t-1', '-77'])
    assert.deepEqual(optionsOf(messenger, 'token', 'channelId', 'mode'), ['t-2', 'U1', 'bot'])
    assert.equal(valueAt(config.effective, ['alert', 'officechat', 'flow_url']), 'http://a/1')
    assert.deepEqual(valueAt(config.effective, ['alert', 'officechat', 'other_flow_urls']), { qc: 'http://a/2' })
    assert.equal(officechat.enable, true)
    assert.equal(config.agent.sources[0]?.loki.token, 't-3')
    assert.equal(warnings.length, 8)
    assert.equal(warnings[0], 'config.yaml:2: alert.msgapp.bot_token: is taken as "token": rename it')
    assert.doesNotMatch(warnings.join(), /not known/)
  })
  it('do not count beside ours', () => {
    const { config, warnings } = load('alert: {msgapp: {token: ours, bot_token: theirs}}')
    assert.equal(valueAt(config.alert.channels.msgapp.options, ['token']), 'ours')
    assert.deepEqual(warnings, [
      'config.yaml:1: alert.msgapp.bot_token: has no effect: "token" is set as well; delete the key',
    ])
  })
  it('of a person count only where messages go to one', () => {
    const { config, warnings } = load('alert: {messenger: {channel_id: C1, user_id: U1}}')
    assert.equal(valueAt(config.alert.channels.messenger.options, ['channelId']), 'C1')
    assert.match(warnings.join(), /user_id: has no effect: it counts with "mode: bot"/)
  })
  it('are taken in the environment', () => {
    const { config, warnings } = load('', { env: { MSGAPP_BOT_TOKEN: 't', MSGAPP_CHAT_ID: '5', MSGAPP_ENABLE: '1' } })
    assert.equal(valueAt(config.alert.channels.msgapp.options, ['channelId']), '5')
    assert.deepEqual(warnings, [
      'environment variable MSGAPP_BOT_TOKEN: is taken as MSGAPP_TOKEN: rename it',
      'environment variable MSGAPP_CHAT_ID: is taken as MSGAPP_CHANNEL_ID: rename it',
    ])
  })
  it('keep the line of a fault', () => {
    const yaml = 'alert:\n  messenger:\n    enable: true\n    token: t\n    channel_id: C\n    api_type: fax\n'
    assert.deepEqual(issuesOf(yaml), [
      'config.yaml:6: alert.messenger.mode: must be one of channel, bot (got "fax")',
      'warning: config.yaml:6: alert.messenger.api_type: is taken as "mode": rename it',
    ])
  })
})

describe('special values', () => {
  it('mean none, no limit, or that of the model', () => {
    const { config, warnings } = load(`agent:
  new_service_grace: "0"
  catalog: {auto_promote_after: 0}
  ai: {temperature: -1, max_calls_per_hour: 0}
  service_patterns: ["app=(\\\\w+)", "without"]
alert: {email: {smtp_port: "465"}}
`)
    const { agent, alert } = config
    assert.deepEqual([agent.newServiceGraceMs, agent.catalog.autoPromoteAfter], [0, Number.POSITIVE_INFINITY])
    assert.deepEqual([agent.ai.temperature, agent.ai.maxCallsPerHour], [-1, 1_000_000])
    assert.deepEqual(agent.servicePatterns, ['app=(\\w+)'])
    assert.equal(valueAt(config.effective, ['alert', 'email', 'smtp_port']), 465)
    assert.equal(alert.channels.email.enable, false)
    assert.deepEqual(warnings, [
      'config.yaml:5: agent.service_patterns.1: has no effect: it needs a group, which is the name of the service',
    ])
  })
  it('are refused where nothing is said about them', () => {
    assert.match(issueOf('agent: {enable: true, ai: {temperature: -0.5}}'), /from 0 to 2, or -1/)
    assert.match(issueOf('delivery: {timeout: "0"}'), /must be a time from 1ms/)
    assert.match(issueOf('port: "80a"'), /must be a whole number/)
  })
})

describe('relative paths', () => {
  const AGENT = 'agent: {sources_path: list.yaml}'
  it('start from the folder of the configuration, else from the working directory', () => {
    const inFolder = (text: string, names: readonly string[]) => {
      const folder = mkdtempSync(join(tmpdir(), 'config-'))
      try {
        mkdirSync(join(folder, 'own'))
        const file = join(folder, 'config.yaml')
        writeFileSync(file, text)
        for (const name of names) writeFileSync(join(folder, name), '- {name: beside, type: http}')
        const { config } = loadConfig({ file, env: {} })
        const { chatws, console } = config.alert.channels
        return { folder, sources: config.agent.sources, chatws: chatws.templatePath, console: console.templatePath }
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
    assert.deepEqual(
      inFolder(AGENT, ['list.yaml']).sources.map(({ name }) => name),
      ['beside'],
    )
    assert.deepEqual(
      inFolder('', ['agent_sources.yaml']).sources.map(({ name }) => name),
      ['beside'],
    )
    assert.deepEqual(inFolder('agent: {sources: [{name: a, type: http}]}', ['agent_sources.yaml']).sources.length, 1)
    const own = inFolder('alert: {chatws: {template_path: own/chat.tmpl}}', ['own/chat.tmpl'])
    assert.equal(own.chatws, join(own.folder, 'own/chat.tmpl'))
    const shipped = inFolder('alert: {chatws: {template_path: templates/chatws.tmpl}}', [])
    assert.equal(shipped.chatws, 'templates/chatws.tmpl')
    assert.equal(shipped.console, 'templates/console.tmpl')
  })
  it('of shipped templates lead to the installation from any folder', () => {
    const before = process.cwd()
    process.chdir(tmpdir())
    try {
      const { console } = load('').config.alert.channels
      assert.equal(console.templatePath, join(before, 'templates/console.tmpl'))
    } finally {
      process.chdir(before)
    }
  })
})
