// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in configuration texts look like this
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { load, type Setting } from './setup.ts'

/** Sections that stand in nearly every configuration of another gateway, whether they are used or not. */
const COMMON = `
oncall:
  initialized_only: true
  enable: false
  wait_minutes: 3
  provider: aws_incident_manager
  aws_incident_manager: { response_plan_arn: "\${AWS_PLAN}", other_response_plan_arns: {} }
  pagerduty: { routing_key: "\${PAGERDUTY_KEY}", other_routing_keys: {} }
redis: { host: "\${REDIS_HOST}", port: 6379, password: "" }
queue: { enable: true, sqs: { enable: false, queue_url: "" } }
proxy: { url: "" }
`
const HEAD = 'name: gateway\nhost: 0.0.0.0\nport: 3000\n'

/** Configurations as users of another gateway have them, one of each kind; only the names of the channels are ours. */
const KINDS: readonly (readonly [kind: string, yaml: string, setting?: Setting])[] = [
  [
    'everything off',
    `${HEAD}public_host: ""\nalert:\n  debug_body: true\n  chatws: { enable: false, token: "\${CHAT}" }\n  msgapp: { enable: false, bot_token: "", chat_id: "", use_proxy: true }${COMMON}`,
  ],
  [
    'a default file with every section',
    `${HEAD}alert:\n  messenger: { enable: false, api_type: channel, bot_token: "", user_id: "", channel_id: "" }\n  email: { enable: false, smtp_port: "465" }\n  officechat: { power_automate_url: "", other_power_urls: {} }\nstorage: { type: file, file: { data_dir: ./data, max_incidents: 1000 } }${COMMON}`,
  ],
  [
    'a chat with its button',
    `${HEAD}alert:\n  chatws:\n    enable: true\n    token: xoxb-1\n    channel_id: C01\n    message_properties: { button_text: Take it, button_style: danger, disable_button: false }${COMMON}`,
  ],
  [
    'a messaging app by its own spellings',
    `${HEAD}alert:\n  msgapp: { enable: true, bot_token: "1:a", chat_id: "-100" }${COMMON}`,
  ],
  [
    'a messenger that writes to one person',
    `${HEAD}alert:\n  messenger: { enable: true, bot_token: t, api_type: bot, user_id: dXNlcg== }${COMMON}`,
  ],
  [
    'an office suite with several flows',
    `${HEAD}alert:\n  officechat:\n    enable: true\n    power_automate_url: https://flow.example/default\n    other_power_urls: { qc: https://flow.example/qc }${COMMON}`,
  ],
  [
    'workplace chat with several bots',
    `${HEAD}alert:\n  workchat: { enable: true, webhook_url: "https://bot.example/1", other_webhook_urls: { dev: "https://bot.example/2" } }${COMMON}`,
  ],
  [
    'mail with a quoted port',
    `${HEAD}alert:\n  email: { enable: true, smtp_host: mx, smtp_port: "465", username: a@b, password: p, to: c@d, subject: Alert }${COMMON}`,
  ],
  [
    'variables alone',
    '',
    {
      env: {
        WORKCHAT_ENABLE: 'true',
        WORKCHAT_WEBHOOK_URL: 'https://bot.example/1',
        ONCALL_ENABLE: 'true',
        ONCALL_PROVIDER: 'pagerduty',
        PAGERDUTY_ROUTING_KEY: 'R1',
        DEBUG_BODY: 'true',
      },
    },
  ],
  [
    'an agent with documented values',
    `${HEAD}agent:\n  enable: true\n  mode: shadow\n  new_service_grace: "0"\n  sources_path: ./agent_sources.yaml\n  service_patterns: ["service=(\\\\w+)", "no group"]\n  catalog: { auto_promote_after: 0 }\n  ai: { enable: false, temperature: -1, max_calls_per_hour: 0 }${COMMON}`,
    {
      files: {
        'agent_sources.yaml':
          'sources:\n  - { name: app, type: file, enable: true, file: { path: app.log } }\n  - { name: cloud, type: cloudwatchlogs, enable: false, cloudwatchlogs: { region: eu } }\n',
      },
    },
  ],
  [
    'an agent on a log store with tenants',
    `${HEAD}agent:\n  enable: true\n  sources:\n    - { name: prod, type: loki, loki: { address: "http://loki:3100", tenant_id: shop, bearer_token: b, query: '{app="x"}' } }\n    - { name: es, type: elasticsearch, elasticsearch: { addresses: ["http://es:9200"], extra_fields: [log.level, trace.id], severity_field: log.level, reorder_window: 30s } }${COMMON}`,
  ],
]

describe('configurations of other gateways', () => {
  for (const [kind, yaml, setting] of KINDS)
    it(`start, and warn of what has no effect: ${kind}`, () => {
      const { warnings } = load(yaml, setting)
      if (yaml.includes('redis')) assert.match(warnings.join('\n'), /redis/)
      if (yaml.includes('queue')) assert.match(warnings.join('\n'), /queue/)
    })
  it('start with a database as their storage', () => {
    const yaml = `${HEAD}storage: { type: postgres, postgres: { dsn: "postgres://u:p@db/x" } }${COMMON}`
    const { config, warnings } = load(yaml)
    assert.ok(config.storage.type === 'postgres')
    assert.equal(config.storage.postgres.url, 'postgres://u:p@db/x')
    assert.match(warnings.join('\n'), /storage\.postgres\.dsn: is taken as "url": rename it/)
  })
})
