import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../harness/config-file.ts'

export const VERSUS = `name: bells
host: 127.0.0.1
port: 0
gateway_secret: \${GATEWAY_SECRET}
proxy:
  url: \${PROXY_URL}
  username: bell
  password: \${PROXY_PASSWORD}
alert:
  debug_body: false
  slack:
    enable: false
    token: \${SLACK_TOKEN}
    channel_id: \${SLACK_CHANNEL_ID}
    template_path: "config/slack_message.tmpl"
    message_properties:
      button_text: "I have it"
      button_style: danger
  telegram:
    enable: false
    bot_token: \${TELEGRAM_BOT_TOKEN}
    chat_id: "-100200300"
    template_path: "config/gone.tmpl"
    use_proxy: true
  viber:
    enable: false
    api_type: bot
    bot_token: \${VIBER_BOT_TOKEN}
    user_id: "person=="
    channel_id: \${VIBER_CHANNEL_ID}
  msteams:
    enable: false
    power_automate_url: \${MSTEAMS_POWER_AUTOMATE_URL}
    other_power_urls:
      qc: \${MSTEAMS_OTHER_POWER_URL_QC}
  email:
    enable: false
    smtp_host: mail.example.test
    smtp_port: \${SMTP_PORT}
    to: bell@example.test
queue:
  enable: true
  sns:
    enable: false
    topic_arn: \${SNS_TOPIC_ARN}
  sqs:
    enable: true
    queue_url: https://queue.example.test/1
oncall:
  initialized_only: true
  enable: false
  wait_minutes: 5
  provider: aws_incident_manager
  aws_incident_manager:
    response_plan_arn: \${AWS_INCIDENT_MANAGER_RESPONSE_PLAN_ARN}
    other_response_plan_arns:
      infra: \${AWS_INCIDENT_MANAGER_OTHER_RESPONSE_PLAN_ARN_INFRA}
redis:
  host: \${REDIS_HOST}
storage:
  type: file
  file:
    max_incidents: 700
agent:
  enable: true
  mode: detect
  poll_interval: 1s
  lookback: 5m
  new_service_grace: "0"
  sources_path: ./agent_sources.yaml
  ai:
    provider: deepseek
    api_key: \${AGENT_AI_API_KEY}
    model: deepseek-chat
  catalog:
    auto_promote_after: 100
    spike_abs_ceiling: 9
  regex:
    default_pattern: "(?i).*error.*"
    rules:
      - name: oom-killer
        pattern: "Out of memory: Killed process"
      - { name: panic, pattern: "(?i)panic:" }
`

const SOURCES = `sources:
  - name: app
    type: file
    enable: true
    file:
      path: logs/app.log
      format: text
      from_beginning: true
      max_line_bytes: 65536
  - name: cloud
    type: cloudwatchlogs
    enable: true
`

const seen = {
  first_seen: '2026-10-01T08:00:00Z',
  last_seen: '2026-10-30T08:00:00Z',
  rule_name: 'default',
  source: 'file:app',
}
const PATTERNS = {
  version: 1,
  updated_at: '2026-10-30T08:00:00Z',
  patterns: {
    p1: {
      id: 'p1',
      template: 'ERROR pool <*> exhausted after <*> ms',
      count: 524,
      baseline_frequency: 0.5,
      baseline_variance: 0.1,
      verdict: 'known',
      ...seen,
    },
    p2: { id: 'p2', template: 'ERROR cache miss for user <*>', count: 3, baseline_frequency: 1, verdict: '', ...seen },
    p3: { id: 'p3', template: '', count: 1, baseline_frequency: 0, verdict: '', ...seen },
  },
}

const HISTORY = [
  {
    id: '5b0f3a0e-4b1a-4b52-9f0a-0c1f4d1e0001',
    title: 'Checkout is slow',
    source: 'webhook',
    resolved: true,
    created_at: '2026-10-20T08:00:00.5Z',
    acked_at: '2026-10-20T08:03:00Z',
    content: { title: 'Checkout is slow', service: 'checkout', severity: 'critical', shard: 7 },
  },
  {
    id: '5b0f3a0e-4b1a-4b52-9f0a-0c1f4d1e0002',
    source: 'sns',
    resolved: false,
    created_at: '2026-10-21T08:00:00Z',
    content: {
      AlarmName: 'HighLatency',
      NewStateValue: 'ALARM',
      AlarmArn: 'arn:aws:cloudwatch:eu-north-1:111122223333:alarm:HighLatency',
    },
  },
  { id: 'broken', created_at: 'yesterday', content: { a: 1 } },
]

/** Creates a folder as Versus Incident leaves it, with made-up content. */
export function versusFolder(configuration = VERSUS): string {
  const dir = folder()
  for (const name of ['config', 'data', 'logs']) mkdirSync(join(dir, name))
  const write = (name: string, text: string) => writeFileSync(join(dir, name), text)
  write('config/config.yaml', configuration)
  write('config/agent_sources.yaml', SOURCES)
  write('config/slack_message.tmpl', '*{{ .title }}*{{ if .service }} on {{ .service }}{{ end }}\n')
  write('config/agent_slack.tmpl', '*{{ .title }}* found by the agent\n')
  write('data/patterns.json', JSON.stringify(PATTERNS))
  write('data/incidents.json', JSON.stringify({ version: 1, incidents: HISTORY }))
  write('logs/app.log', '')
  return dir
}
