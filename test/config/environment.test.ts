import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueAt } from '../../src/config/messages.ts'
import { redacted } from '../../src/config/secrets.ts'
import { issueOf, issuesOf, load } from './setup.ts'

const FILE = `host: 10.0.0.1
port: 1
gateway_secret: from-the-file
storage: {file: {data_dir: /file}}
log: {level: error}
`

describe('the environment', () => {
  it('comes before the file', () => {
    const env = {
      HOST: '127.0.0.1',
      PORT: '4000',
      GATEWAY_SECRET: 'from-the-env',
      STORAGE_FILE_DATA_DIR: '/env',
      LOG_LEVEL: 'debug',
    }
    const { config } = load(FILE, { env })
    assert.deepEqual(
      [config.host, config.port, config.gatewaySecret, config.storage.dataDir, config.log.level],
      ['127.0.0.1', 4000, 'from-the-env', '/env', 'debug'],
    )
  })
  it('does not count where a variable is empty', () => {
    const { config } = load(FILE, { env: { HOST: '', PORT: '', GATEWAY_SECRET: '', LOG_LEVEL: '' } })
    assert.deepEqual(
      [config.host, config.port, config.gatewaySecret, config.log.level],
      ['10.0.0.1', 1, 'from-the-file', 'error'],
    )
  })
  it('sets every documented key', () => {
    const said: [variable: string, text: string, path: string, value?: unknown][] = [
      ['CHATWS_TOKEN', 'a', 'alert.chatws.token', 'set'],
      ['CHATWS_CHANNEL_ID', 'C', 'alert.chatws.channel_id'],
      ['MSGAPP_TOKEN', 'a', 'alert.msgapp.token', 'set'],
      ['MSGAPP_CHANNEL_ID', '-5', 'alert.msgapp.channel_id'],
      ['MESSENGER_TOKEN', 'a', 'alert.messenger.token', 'set'],
      ['MESSENGER_CHANNEL_ID', 'C', 'alert.messenger.channel_id'],
      ['WORKCHAT_TOKEN', 'a', 'alert.workchat.token', 'set'],
      ['WORKCHAT_CHANNEL_ID', 'C', 'alert.workchat.channel_id'],
      ['OFFICECHAT_FLOW_URL', 'https://a', 'alert.officechat.flow_url', 'set'],
      ['OFFICECHAT_OTHER_FLOW_URL_QC', 'https://a', 'alert.officechat.other_flow_urls.qc', 'set'],
      ['SMTP_HOST', 'mx', 'alert.email.smtp_host'],
      ['SMTP_PORT', '465', 'alert.email.smtp_port', 465],
      ['SMTP_USERNAME', 'u', 'alert.email.username'],
      ['SMTP_PASSWORD', 'p', 'alert.email.password', 'set'],
      ['EMAIL_FROM', 'a@b', 'alert.email.from'],
      ['EMAIL_TO', 'a@b', 'alert.email.to'],
      ['EMAIL_SUBJECT', 's', 'alert.email.subject'],
      ['TOPICSVC_ENABLE', 'true', 'topicsvc.enable', true],
      ['TOPICSVC_TOPIC_ARN', 'arn:aws:sns:eu-north-1:123456789012:a', 'topicsvc.topic_arn'],
      ['TOPICSVC_HTTPS_ENDPOINT_SUBSCRIPTION', 'https://a', 'topicsvc.https_endpoint_subscription'],
      ['CLOUD_ACCESS_KEY_ID', 'k', 'topicsvc.access_key_id', 'set'],
      ['CLOUD_SECRET_ACCESS_KEY', 'k', 'topicsvc.secret_access_key', 'set'],
      ['AGENT_AI_API_KEY', 'k', 'agent.ai.api_key', 'set'],
      ...['CHATWS', 'MSGAPP', 'MESSENGER', 'OFFICECHAT', 'WORKCHAT', 'EMAIL'].map(
        (prefix): [string, string, string, boolean] => [
          `${prefix}_ENABLE`,
          '1',
          `alert.${prefix.toLowerCase()}.enable`,
          true,
        ],
      ),
    ]
    const { config, warnings } = load('', { env: Object.fromEntries(said) })
    for (const [variable, text, path, value = text] of said)
      assert.equal(valueAt(redacted(config), path.split('.')), value, variable)
    assert.deepEqual(warnings, [])
  })
  it('turns a channel off that the file turns on', () => {
    const yaml = 'alert: {chatws: {enable: true, token: a, channel_id: C}}'
    for (const word of ['false', 'False', '0', 'no', 'off'])
      assert.equal(load(yaml, { env: { CHATWS_ENABLE: word } }).config.alert.channels.chatws.enable, false)
  })
  it('adds other flows by their name in lower case to those of the file', () => {
    const { config } = load('alert: {officechat: {other_flow_urls: {ops: "http://file/ops", qc: "http://file/qc"}}}', {
      env: { OFFICECHAT_OTHER_FLOW_URL_QC: 'http://env/qc', OFFICECHAT_OTHER_FLOW_URL_NIGHT_TEAM: 'http://env/night' },
    })
    assert.deepEqual(valueAt(config.effective, ['alert', 'officechat', 'other_flow_urls']), {
      ops: 'http://file/ops',
      qc: 'http://env/qc',
      night_team: 'http://env/night',
    })
  })
  it('is named in the error about a bad value', () => {
    const env = { CHATWS_ENABLE: 'perhaps', PORT: '3000x', LOG_LEVEL: 'loud', OFFICECHAT_OTHER_FLOW_URL_A: 'nowhere' }
    assert.deepEqual(issuesOf('', { env }).toSorted(), [
      'environment variable CHATWS_ENABLE: alert.chatws.enable: must be true or false (got "perhaps")',
      'environment variable LOG_LEVEL: log.level: must be one of info, debug, warn, error (got "loud")',
      'environment variable OFFICECHAT_OTHER_FLOW_URL_A: alert.officechat.other_flow_urls.a: must be an address that begins with http:// or https://',
      'environment variable PORT: port: must be a whole number from 0 to 65535 (got "3000x")',
    ])
  })
  it('cannot name an entry __proto__', () => {
    assert.match(
      issueOf('', { env: { OFFICECHAT_OTHER_FLOW_URL___PROTO__: 'http://a' } }),
      /__proto__: cannot be used as a name/,
    )
  })
  it('warns about variables that were removed or renamed, or whose channel lacks the key', () => {
    const env = {
      AGENT_AI_BASE_URL: 'http://a',
      OFFICECHAT_WEBHOOK_URL: 'http://b',
      OFFICECHAT_OTHER_WEBHOOK_URL_QC: 'http://c',
      EMAIL_TOKEN: 'd',
    }
    assert.deepEqual(load('', { env }).warnings.toSorted(), [
      'environment variable AGENT_AI_BASE_URL: has no effect: the address of the model is fixed; unset the variable',
      'environment variable EMAIL_TOKEN: has no effect: there is no alert.email.token',
      'environment variable OFFICECHAT_OTHER_WEBHOOK_URL_QC: was renamed: begin its name with OFFICECHAT_OTHER_FLOW_URL_ instead',
      'environment variable OFFICECHAT_WEBHOOK_URL: was renamed: set OFFICECHAT_FLOW_URL instead',
    ])
    assert.deepEqual(load('', { env: { AGENT_AI_BASE_URL: '' } }).warnings, [])
  })
})
