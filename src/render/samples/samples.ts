import type { Payload } from '../../domain/incident.ts'
import { addFacts, type IncidentFacts, type RecognizedFields } from '../text/incident-facts.ts'
import { DASHBOARD_ALERTS, GROUPED_ALERTS, type Sample } from './alerts.ts'

function trackedError(resolved: boolean): Payload {
  return {
    action: resolved ? 'resolved' : 'created',
    installation: { uuid: '0b7e6f0c-9f6e-4f1c-8a68-2d1f0e5b7a10' },
    data: {
      issue: {
        id: '5120044871',
        title: 'TypeError: taxes.rate is not a function',
        culprit: 'applyTax(checkout/tax.ts)',
        shortId: 'STOREFRONT-8KQ',
        permalink: 'https://sentry.example.net/organizations/acme/issues/5120044871/',
        project: { id: '112', name: 'Storefront', slug: 'storefront' },
        metadata: { type: 'TypeError', value: 'taxes.rate is not a function' },
        status: resolved ? 'resolved' : 'unresolved',
        level: 'error',
        firstSeen: '2026-03-09T09:58:12.000Z',
        lastSeen: '2026-03-09T10:14:55.000Z',
        count: 1342,
        userCount: 311,
      },
    },
    actor: { type: 'user', id: '77', name: 'Maren Holt' },
  }
}

const ERROR_TRACKER: readonly Sample[] = [
  { name: 'Error tracker: new issue', sender: 'error_tracker', payload: trackedError(false) },
  { name: 'Error tracker: resolved', sender: 'error_tracker', payload: trackedError(true) },
]

function alarm(resolved: boolean): Payload {
  return {
    AlarmName: 'api-5xx-rate',
    AlarmDescription: 'More than 2 % of the requests to the public API fail.',
    AWSAccountId: '000000000042',
    NewStateValue: resolved ? 'OK' : 'ALARM',
    OldStateValue: resolved ? 'ALARM' : 'OK',
    NewStateReason: resolved
      ? 'Threshold Crossed: 1 datapoint [0.4 (09/03/26 11:30:00)] was not greater than the threshold (2.0).'
      : 'Threshold Crossed: 3 out of the last 3 datapoints were greater than the threshold (2.0): [6.1, 5.7, 3.9].',
    StateChangeTime: '2026-03-09T11:20:41.512+0000',
    Region: 'EU (Frankfurt)',
    AlarmArn: 'arn:aws:cloudwatch:eu-central-1:000000000042:alarm:api-5xx-rate',
    Trigger: {
      MetricName: 'HTTPCode_Target_5XX_Count',
      Namespace: 'AWS/ApplicationELB',
      StatisticType: 'Statistic',
      Statistic: 'SUM',
      Dimensions: [
        { name: 'LoadBalancer', value: 'app/public-api/50dc6c495c0c9188' },
        { name: 'AvailabilityZone', value: 'eu-central-1b' },
      ],
      Period: 60,
      EvaluationPeriods: 3,
      Threshold: 2,
    },
  }
}

const CLOUD_ALARM: readonly Sample[] = [
  { name: 'Cloud alarm: firing', sender: 'cloud_alarm', payload: alarm(false) },
  { name: 'Cloud alarm: resolved', sender: 'cloud_alarm', payload: alarm(true) },
]

const LOG: Payload = {
  date: 1_773_061_327.118,
  log: '2026-03-09T13:02:07.118Z ERROR payment 48213 was not captured\njava.net.SocketTimeoutException: Read timed out after 5000 ms\n    at net.example.pay.Gateway.capture(Gateway.java:212)\n    at net.example.pay.Worker.run(Worker.java:64)',
  stream: 'stderr',
  time: '2026-03-09T13:02:07.118Z',
  kubernetes: {
    pod_name: 'payments-7c9d8b6f5-x2mvk',
    namespace_name: 'shop',
    pod_id: '9f1d1f6e-3f0e-4d3f-9b39-0b4cf1c3a6a2',
    labels: { app: 'payments', tier: 'backend', environment: 'production' },
    annotations: { 'prometheus.io/scrape': 'true' },
    host: 'worker-09.fra.example.net',
    container_name: 'payments',
    docker_id: '7b1f4c0de9',
    container_hash: 'registry.example.net/payments@sha256:5d41',
    container_image: 'registry.example.net/payments:2.31.0',
  },
}

const LOG_FORWARDER: readonly Sample[] = [
  { name: 'Log forwarder', sender: 'log_forwarder', payload: LOG },
  {
    name: 'Log forwarder: one line, no cluster',
    sender: 'log_forwarder',
    payload: { date: 1_773_061_400, log: 'kernel: Out of memory: Killed process 2204 (indexer)\n', stream: 'stdout' },
  },
]

function event(action: 'trigger' | 'resolve'): Payload {
  return {
    integration: 'uptime',
    event_action: action,
    dedup_key: 'checks/17',
    client: 'Uptime checks',
    client_url: 'https://uptime.example.net/checks/17',
    links: [{ href: 'https://runbooks.example.net/shop', text: 'Runbook' }],
    payload: {
      summary: 'The shop does not answer within 10 s',
      severity: 'critical',
      source: 'shop.example.net:443',
      component: 'shop',
      group: 'storefront',
      class: 'timeout',
      timestamp: '2026-03-09T13:02:07.118Z',
      custom_details: { region: 'eu-central-1', attempts: 3 },
    },
  }
}

const PAGERDUTY_EVENT: readonly Sample[] = [
  { name: 'PagerDuty event: trigger', sender: 'pagerduty_event', payload: event('trigger') },
  { name: 'PagerDuty event: resolve', sender: 'pagerduty_event', payload: event('resolve') },
]

function opsgenieAlert(action: 'create' | 'close'): Payload {
  return {
    integration: 'legacy',
    action,
    alias: 'queue-mail',
    message: 'The mail queue grows',
    description: '1,204 messages wait, the oldest for 14 min.',
    entity: 'mail-relay',
    source: 'queue-check',
    priority: 'P2',
    tags: ['mail', 'team:platform'],
    details: { host: 'mx-2.example.net', waiting: '1204' },
    ...(action === 'close' && { user: 'Ada' }),
  }
}

const OPSGENIE_ALERT: readonly Sample[] = [
  { name: 'Opsgenie alert: created', sender: 'opsgenie_alert', payload: opsgenieAlert('create') },
  { name: 'Opsgenie alert: closed', sender: 'opsgenie_alert', payload: opsgenieAlert('close') },
]

const FINDING: Payload = {
  Source: 'AI Agent',
  AgentSource: 'prod-loki',
  AlertName: 'Connections to the session cache are refused',
  Summary: 'Since 14:20 a third of the logins fail because the session cache refuses connections.',
  Severity: 'high',
  Category: 'connectivity',
  Confidence: 0.91,
  Suggestions: ['Check whether session-cache-2 is up', 'Compare maxclients with the number of login pods'],
  PatternID: 'p-7f31c2',
  PatternTemplate: 'dial tcp <*>: connect: connection refused (attempt <*>)',
  Frequency: 264,
  Baseline: 3.5,
  Verdict: 'spike',
  ServiceName: 'login',
  Logs: 'dial tcp 10.4.0.17:6379: connect: connection refused (attempt 3)\nlogin failed for session 8812',
  Status: 'firing',
}

export const AGENT: readonly Sample[] = [
  { name: 'AI agent: a pattern spikes', sender: 'agent', payload: FINDING },
  {
    name: 'AI agent: the bare minimum',
    sender: 'agent',
    payload: {
      Source: 'AI Agent',
      AlertName: 'New pattern in billing',
      ServiceName: 'billing',
      Severity: 'medium',
      Verdict: 'unknown',
    },
  },
]

const CUSTOM: readonly Sample[] = [
  {
    name: 'Free form: service, logs, user',
    sender: 'custom',
    payload: { ServiceName: 'label-printer', Logs: 'no paper in tray 2\njob 5518 waits', UserID: 'U03EXAMPLE' },
  },
  {
    name: 'Free form: other words',
    sender: 'custom',
    payload: {
      title: 'Nightly backup failed',
      service: 'vault',
      severity: 'high',
      message: 'Upload stopped at 61 %',
      url: 'https://backup.example.net/runs/2214',
      attempt: 3,
      target: { bucket: 'backups-eu', bytes: 734_003_200 },
      hosts: ['vault-1', 'vault-2'],
    },
  },
  {
    name: 'Free form: resolved',
    sender: 'custom',
    payload: { title: 'Nightly backup failed', service: 'vault', severity: 'high', status: 'Resolved' },
  },
]

/**
 * Firing and resolved payloads of every sender, with one and with many alerts. Templates are tried with all of them at
 * the start; the dashboard and the gallery show them in this order.
 */
export const SAMPLES: readonly Sample[] = [
  ...GROUPED_ALERTS,
  ...DASHBOARD_ALERTS,
  ...ERROR_TRACKER,
  ...CLOUD_ALARM,
  ...LOG_FORWARDER,
  ...PAGERDUTY_EVENT,
  ...OPSGENIE_ALERT,
  ...AGENT,
  ...CUSTOM,
]

/** Returns the facts of an incident of a sample that was recognised as `recognized`. */
export function sampleFacts(recognized: RecognizedFields): IncidentFacts {
  const { sender, title, service, severity, status } = recognized
  return {
    sender,
    title,
    service,
    severity,
    status,
    id: '0195c1a2-7e40-7000-8000-000000000000',
    source: sender === 'agent' ? 'agent' : 'webhook',
    createdAt: Date.UTC(2026, 2, 9, 12),
  }
}

/** Returns a payload as templates see it: with the facts of an incident that was recognised as `recognized`. */
export function sampleData(payload: Payload, recognized: RecognizedFields): Payload {
  const data = { ...payload }
  addFacts(data, sampleFacts(recognized))
  return data
}
