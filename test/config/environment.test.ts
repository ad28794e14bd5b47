import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueAt } from '../../src/config/config-error.ts'
import { variableNames } from '../../src/config/environment/environment.ts'
import { SCHEMA_NODE } from '../../src/config/schema.ts'
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
    assert.deepEqual(issuesOf('alert: {officechat: {enable: true, flow_url: "http://a"}}', { env }).toSorted(), [
      'environment variable CHATWS_ENABLE: alert.chatws.enable: must be true or false (got "perhaps")',
      'environment variable LOG_LEVEL: log.level: must be one of info, debug, warn, error (got "loud")',
      'environment variable OFFICECHAT_OTHER_FLOW_URL_A: alert.officechat.other_flow_urls.a: must be an address that begins with http:// or https://',
      'environment variable PORT: port: must be a whole number from 0 to 65535 (got "3000x")',
    ])
  })
  it('cannot name an entry __proto__', () => {
    assert.match(
      issueOf('alert: {officechat: {enable: true, flow_url: "http://a"}}', {
        env: { OFFICECHAT_OTHER_FLOW_URL___PROTO__: 'http://a' },
      }),
      /__proto__: cannot be used as a name/,
    )
  })
  it('warns about variables that were removed or renamed', () => {
    const env = {
      AGENT_AI_BASE_URL: 'http://a',
      OFFICECHAT_WEBHOOK_URL: 'http://b',
      OFFICECHAT_OTHER_WEBHOOK_URL_QC: 'http://c',
    }
    assert.deepEqual(load('', { env }).warnings.toSorted(), [
      'environment variable AGENT_AI_BASE_URL: has no effect: the address of the model is fixed; unset the variable',
      'environment variable OFFICECHAT_OTHER_WEBHOOK_URL_QC: was renamed: begin its name with OFFICECHAT_OTHER_FLOW_URL_ instead',
      'environment variable OFFICECHAT_WEBHOOK_URL: was renamed: set OFFICECHAT_FLOW_URL instead',
    ])
    assert.deepEqual(load('', { env: { AGENT_AI_BASE_URL: '' } }).warnings, [])
  })
})

describe('the name of a variable', () => {
  it('follows from the path of its key, for every key, and belongs to one key', () => {
    const { keys } = variableNames(SCHEMA_NODE)
    const paths = new Set([...keys.values()].map(({ path }) => path.join('.')))
    for (const path of paths) {
      const name = path
        .replace(/^alert\./, '')
        .replaceAll('.', '_')
        .toUpperCase()
      assert.equal(keys.get(name)?.path.join('.'), path, name)
    }
    const { config } = load('')
    const leaves = [...load('').origins.keys()]
    assert.deepEqual(
      leaves.filter((path) => !paths.has(path)),
      [],
    )
    assert.ok(leaves.length > 100 && config.port === 3000)
  })
  it('reaches flags, numbers, times and words of every section', () => {
    const { config, origins, warnings } = load('', {
      env: {
        ONCALL_WAIT_MINUTES: '0.5',
        ONCALL_PROVIDER: 'incident_io',
        DEBUG_BODY: 'yes',
        AGENT_MODE: 'shadow',
        AGENT_CATALOG_SPIKE_Z: '4.5',
        DELIVERY_BACKOFF_INITIAL: '2s',
        CHATWS_STORM_RATE_PER_SECOND: '3',
        CONSOLE_ENABLE: 'off',
        HTTP_MAX_INFLIGHT: '9',
      },
    })
    assert.deepEqual(warnings, [])
    assert.deepEqual([config.oncall.waitMs, config.oncall.provider], [30_000, 'incident_io'])
    assert.deepEqual([config.agent.mode, config.agent.catalog.spikeZ], ['shadow', 4.5])
    assert.deepEqual([config.alert.debugBody, config.delivery.retry.initialMs], [true, 2_000])
    assert.deepEqual([config.alert.channels.chatws.storm.rate.perSecond, config.http.maxInflight], [3, 9])
    assert.equal(config.alert.channels.console.enable, false)
    assert.equal(origins.get('agent.mode'), 'env AGENT_MODE')
  })
  it('may be short for a provider, and the full name counts before it', () => {
    const short = load('', { env: { PAGERDUTY_ROUTING_KEY: 'r-1', PAGERDUTY_OTHER_ROUTING_KEY_DB: 'r-2' } })
    assert.equal(short.config.oncall.pagerduty.routingKey, 'r-1')
    assert.deepEqual([...short.config.oncall.pagerduty.otherRoutingKeys], [['db', 'r-2']])
    const both = load('', { env: { INCIDENTIO_API_KEY: 'k-1', ONCALL_INCIDENT_IO_API_KEY: 'k-2' } })
    assert.equal(both.config.oncall.incidentIo.apiKey, 'k-2')
    assert.deepEqual(both.warnings, [
      'environment variable INCIDENTIO_API_KEY: has no effect: ONCALL_INCIDENT_IO_API_KEY sets oncall.incident_io.api_key already',
    ])
  })
})

describe('a list in a variable', () => {
  it('is YAML and replaces the list of the file', () => {
    const yaml = 'agent: {sources: [{name: old, type: http}]}\nroutes: [{name: old}]\n'
    const { config, origins, warnings } = load(yaml, {
      env: {
        AGENT_SOURCES: '[{name: app, type: file, file: {path: /app.log}}]',
        ROUTES: '[{name: new, match: {service: "a*"}, to: none}]',
        SCHEDULES_OFFICE: '[{cron: "0 8 * * MON-FRI", for: 10h}]',
        TEMPLATES_ENV_ALLOW: '[REGION, ZONE]',
      },
    })
    assert.deepEqual(warnings, [])
    assert.deepEqual(
      config.agent.sources.map(({ name, file }) => [name, file.path]),
      [['app', '/app.log']],
    )
    assert.deepEqual(
      config.routes.map(({ name, where }) => [name, where]),
      [['new', 'environment variable ROUTES']],
    )
    assert.deepEqual([...config.schedules.keys()], ['office'])
    assert.deepEqual(config.templates.envAllow, ['REGION', 'ZONE'])
    assert.equal(origins.get('agent.sources.0.file.path'), 'env AGENT_SOURCES')
  })
  it('comes before the file that agent.sources_path names, which a variable can name as well', () => {
    const files = { 'a.yaml': '- {name: a, type: http}', 'b.yaml': '- {name: b, type: http}' }
    const yaml = 'agent: {sources_path: a.yaml}'
    const namesWith = (env: { [name: string]: string }) =>
      load(yaml, { files, env }).config.agent.sources.map(({ name }) => name)
    assert.deepEqual(namesWith({ AGENT_SOURCES_PATH: 'b.yaml' }), ['b'])
    assert.deepEqual(namesWith({ AGENT_SOURCES: '[{name: c, type: http}]' }), ['c'])
  })
  it('is named in the errors about it, which do not quote it', () => {
    for (const text of ['password, hush', '[{password: hush', '{password: hush}', '&a [*a, {']) {
      const issue = issueOf('', { env: { AGENT_SOURCES: text } })
      assert.match(issue, /^environment variable AGENT_SOURCES: agent\.sources: must be a list in YAML/, text)
      assert.doesNotMatch(issue, /hush/)
    }
    assert.equal(
      issueOf('agent: {enable: true}', { env: { AGENT_SOURCES: '[{name: a, type: tape}]' } }),
      'environment variable AGENT_SOURCES: agent.sources.0.type: must be one of file, http, otlp, loki, elasticsearch (got "tape")',
    )
  })
})

describe('a variable that begins like a section and sets nothing', () => {
  it('is warned about with the nearest name', () => {
    const env = { ONCALL_ENABLED: 'true', AGENT_MOD: 'detect', EMAIL_TOKEN: 'hush', CHATWS_ZEBRA_GIRAFFE: 'hush' }
    assert.deepEqual(load('', { env }).warnings, [
      'environment variable AGENT_MOD: sets nothing; did you mean AGENT_MODE?',
      'environment variable CHATWS_ZEBRA_GIRAFFE: sets nothing',
      'environment variable EMAIL_TOKEN: sets nothing; did you mean EMAIL_TO?',
      'environment variable ONCALL_ENABLED: sets nothing; did you mean ONCALL_ENABLE?',
    ])
  })
  it('is not warned about when it is empty, or the file, a template, a library or Kubernetes uses it', () => {
    const env = {
      AGENT_NOTHING: '',
      CHATWS_KEY: 'hush',
      AGENT_REGION: 'eu',
      HTTP_PROXY: 'http://proxy',
      STORAGE_SERVICE_HOST: '10.0.0.1',
      STORAGE_SERVICE_PORT_MAIN: '80',
      STORAGE_PORT: 'tcp://10.0.0.1:80',
      STORAGE_PORT_80_TCP_ADDR: '10.0.0.1',
      AGENTS: 'x',
      HTTPS_PROXY: 'http://proxy',
    }
    const yaml = 'alert: {chatws: {token: "$' + '{CHATWS_KEY}"}}\ntemplates: {env_allow: [AGENT_REGION]}\n'
    assert.deepEqual(load(yaml, { env }).warnings, [])
  })
  it('does not set a port to the address of a Kubernetes service', () => {
    const { config, warnings } = load('', { env: { METRICS_PORT: 'tcp://10.0.0.1:80' } })
    assert.equal(config.metrics.port, 0)
    assert.match(warnings.join(), /METRICS_PORT: has no effect: Kubernetes set it for a service of that name/)
  })
})
