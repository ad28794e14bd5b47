import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueAt } from '../../src/config/config-error.ts'
import { issueOf, issuesOf, load } from './setup.ts'

const ENDING = 'this is only a warning and the value has no effect, because'

describe('a fault in a part that is switched off', () => {
  it('warns and leaves the default in a channel', () => {
    const yaml = 'alert:\n  chatws:\n    api_url: slack.com\n    rate: {per_second: 0, burst: 2}\n    token: good\n'
    const { config, warnings } = load(yaml)
    const { chatws } = config.alert.channels
    assert.equal(valueAt(chatws.options, ['apiUrl']), 'https://slack.com')
    assert.deepEqual([chatws.rate.perSecond, valueAt(chatws.options, ['token'])], [1, 'good'])
    assert.deepEqual(warnings, [
      `config.yaml:3: alert.chatws.api_url: must be an address that begins with http:// or https:// (got "slack.com"); ${ENDING} chatws is off`,
      `config.yaml:4: alert.chatws.rate.per_second: must be a number from 0.0001 to 1000000 (got 0); ${ENDING} chatws is off`,
    ])
    assert.equal(issuesOf(yaml, { env: { CHATWS_ENABLE: 'true', CHATWS_CHANNEL_ID: 'C' } }).length, 2)
  })
  it('counts where the switch itself is wrong', () => {
    assert.match(issuesOf('alert: {chatws: {enable: perhaps, mailbox: 0}}').join(), /must be true or false.*mailbox/)
    issueOf('oncall: {enable: perhaps}')
  })
  it('warns about the on-call provider, and about the keys of providers that are not chosen', () => {
    const { config, warnings } = load('oncall: {provider: carrier_pigeon, wait_minutes: 5}')
    assert.equal(config.oncall.waitMs, 300_000)
    assert.deepEqual(warnings, [
      `config.yaml:1: oncall.provider: must be one of webhook, pagerduty, incident_io, aws_incident_manager, servicenow (got "carrier_pigeon"); ${ENDING} oncall is off`,
    ])
    assert.match(issueOf('oncall: {enable: true, provider: carrier_pigeon}'), /must be one of webhook/)
    const unused =
      'oncall: {enable: true, webhook: {url: "http://a"}, pagerduty: {api_url: nowhere}}\npublic_host: http://b'
    assert.match(load(unused).warnings.join(), /pagerduty\.api_url.*because oncall\.provider is "webhook"$/)
    assert.match(issueOf('oncall: {webhook: {url: nowhere}}'), /webhook\.url/)
    assert.match(issueOf('oncall: {wait_minutes: soon}'), /wait_minutes/)
  })
  it('leaves a log source out, and keeps the others and their lines', () => {
    const yaml = `agent:
  enable: true
  sources:
    - {name: tape, type: tape, enable: false}
    - {name: app, type: file, file: {path: /app.log}}
    - {name: app, type: punchcards, enable: false}
`
    const { config, warnings } = load(yaml)
    assert.deepEqual(
      config.agent.sources.map(({ name }) => name),
      ['app'],
    )
    const known = 'must be one of file, http, otlp, loki, elasticsearch'
    assert.deepEqual(warnings, [
      `config.yaml:4: agent.sources.0.type: ${known} (got "tape"); ${ENDING} the source is off`,
      `config.yaml:6: agent.sources.2.type: ${known} (got "punchcards"); ${ENDING} the source is off`,
    ])
    const wrong = yaml.replace('/app.log}', '7, format: xml}')
    assert.match(issuesOf(wrong)[0] ?? '', /^config\.yaml:5: agent\.sources\.1\.file\.format/)
    assert.equal(issuesOf(yaml.replaceAll('enable: false', 'enable: true')).length, 3)
  })
  it('warns while the agent or the topic is off', () => {
    const yaml =
      'agent: {mode: sleep, sources: [{name: a, type: tape}], ai: {temperature: 9}}\ntopicsvc: {topic_arn: here}\n'
    const { config, warnings } = load(yaml)
    assert.deepEqual([config.agent.mode, config.agent.sources, config.agent.ai.temperature], ['training', [], 0.2])
    assert.equal(warnings.length, 4)
    assert.equal(issuesOf(yaml, { env: { AGENT_ENABLE: 'true' } }).length, 4)
  })
  it('does not hide a fault of what is on', () => {
    const lines = issuesOf('port: x\nalert: {chatws: {mailbox: 0}}\n')
    assert.match(lines[0] ?? '', /^config\.yaml:1: port/)
    assert.match(lines[1] ?? '', /^warning: config\.yaml:2: alert\.chatws\.mailbox/)
    assert.equal(lines.length, 2)
  })
})
