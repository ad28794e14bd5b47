import type { Payload, Sender } from '../../domain/incident.ts'
import { addFacts, type RecognizedFields } from './facts.ts'

/** An invented incident in the words of its sender. Templates are tried on all of them before they are used. */
export interface Sample {
  /** Unique, fit for a heading. */
  readonly name: string
  readonly sender: Sender
  readonly payload: Payload
}

/** A payload as templates see it: with the facts of an incident that says what `reading` says. */
export function sampleData(payload: Payload, recognized: RecognizedFields): Payload {
  const known = {
    id: '0195c1a2-7e40-7000-8000-000000000000',
    source: recognized.sender === 'agent' ? 'agent' : 'webhook',
    createdAt: Date.UTC(2026, 2, 9, 12),
  } as const
  const data = { ...payload }
  addFacts(data, { ...recognized, ...known })
  return data
}

const NEVER = '0001-01-01T00:00:00Z'

interface AlertFacts {
  readonly resolved?: boolean
  readonly instance?: string
}

function diskAlert({ resolved = false, instance = 'db-03.fra.example.net:9100' }: AlertFacts = {}): Payload {
  return {
    status: resolved ? 'resolved' : 'firing',
    labels: {
      alertname: 'DiskAlmostFull',
      severity: 'critical',
      service: 'orders-db',
      cluster: 'fra-1',
      instance,
      mountpoint: '/var/lib/postgresql',
    },
    annotations: {
      summary: `Less than 4 % left on ${instance.split('.')[0]}`,
      description: 'At the current rate the disk is full in 38 minutes. Writes stop when it is.',
      runbook_url: 'https://runbooks.example.net/disk-almost-full',
    },
    startsAt: '2026-03-09T02:41:17.204Z',
    endsAt: resolved ? '2026-03-09T03:02:47.204Z' : NEVER,
    generatorURL: 'https://prometheus.example.net/graph?g0.expr=disk_free_ratio+%3C+0.04&g0.tab=1',
    fingerprint: `c0a1${instance.length}`,
  }
}

function group(alerts: readonly Payload[], resolved = false): Payload {
  const single = alerts.length === 1 ? alerts[0] : undefined
  return {
    version: '4',
    groupKey: '{}/{team="storage"}:{alertname="DiskAlmostFull", cluster="fra-1"}',
    truncatedAlerts: 0,
    receiver: 'tocsin',
    status: resolved ? 'resolved' : 'firing',
    alerts,
    groupLabels: { alertname: 'DiskAlmostFull', cluster: 'fra-1' },
    commonLabels: single?.labels ?? {
      alertname: 'DiskAlmostFull',
      severity: 'critical',
      service: 'orders-db',
      cluster: 'fra-1',
      mountpoint: '/var/lib/postgresql',
    },
    commonAnnotations: single?.annotations ?? { runbook_url: 'https://runbooks.example.net/disk-almost-full' },
    externalURL: 'https://alertmanager.example.net',
  }
}

const FLEET = Array.from({ length: 14 }, (_, n) =>
  diskAlert({ instance: `db-${String(n + 1).padStart(2, '0')}.fra.example.net:9100`, resolved: n >= 12 }),
)

const MIXED: Payload = {
  ...group([
    diskAlert(),
    {
      status: 'firing',
      labels: { alertname: 'ReplicationLag', severity: 'warning', service: 'orders-db', cluster: 'fra-1' },
      annotations: { summary: 'Standby is 95 s behind' },
      startsAt: '2026-03-09T02:44:02Z',
      endsAt: NEVER,
      generatorURL: '',
    },
  ]),
  groupKey: '{}/{team="storage"}:{cluster="fra-1"}',
  groupLabels: { cluster: 'fra-1' },
  commonLabels: { service: 'orders-db', cluster: 'fra-1' },
  commonAnnotations: {},
}

function dashboard(resolved: boolean): Payload {
  const status = resolved ? 'resolved' : 'firing'
  const labels = {
    alertname: 'QueueGrows',
    grafana_folder: 'Messaging',
    severity: 'warning',
    service: 'mail-relay',
    queue: 'outbound',
  }
  const annotations = {
    summary: 'The outbound queue grew for 15 minutes',
    description: 'Consumers are up but slow; mail is late by about 9 minutes.',
    runbook_url: 'https://runbooks.example.net/queue-grows',
  }
  const alert = {
    status,
    labels,
    annotations,
    startsAt: '2026-03-09T07:12:30Z',
    endsAt: resolved ? '2026-03-09T07:31:30Z' : NEVER,
    generatorURL: 'https://grafana.example.net/alerting/grafana/q7f/view',
    fingerprint: '5e0f9d22c1',
    silenceURL: 'https://grafana.example.net/alerting/silence/new?alertmanager=grafana&matcher=alertname%3DQueueGrows',
    dashboardURL: 'https://grafana.example.net/d/mail',
    panelURL: 'https://grafana.example.net/d/mail?viewPanel=7',
    values: { depth: 18_240, growth: 12.5 },
    valueString: "[ var='depth' labels={queue=outbound} value=18240 ]",
  }
  return {
    receiver: 'tocsin',
    status,
    orgId: 1,
    alerts: [alert],
    groupLabels: { alertname: 'QueueGrows' },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: 'https://grafana.example.net/',
    version: '1',
    groupKey: '{}/{service="mail-relay"}:{alertname="QueueGrows"}',
    truncatedAlerts: 0,
    title: `[${status.toUpperCase()}:1] QueueGrows Messaging (mail-relay warning)`,
    state: resolved ? 'ok' : 'alerting',
    message: `**${status}**\n\nThe outbound queue grew for 15 minutes`,
  }
}

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

/** Every shape the shipped templates know, firing and resolved, single and many. */
export const SAMPLES: readonly Sample[] = [
  { name: 'Grouped alerts: one firing', sender: 'grouped_alerts', payload: group([diskAlert()]) },
  { name: 'Grouped alerts: resolved', sender: 'grouped_alerts', payload: group([diskAlert({ resolved: true })], true) },
  { name: 'Grouped alerts: a fleet, partly recovered', sender: 'grouped_alerts', payload: group(FLEET) },
  { name: 'Grouped alerts: different alerts', sender: 'grouped_alerts', payload: MIXED },
  { name: 'Dashboard alert: firing', sender: 'dashboard_alerts', payload: dashboard(false) },
  { name: 'Dashboard alert: resolved', sender: 'dashboard_alerts', payload: dashboard(true) },
  { name: 'Error tracker: new issue', sender: 'error_tracker', payload: trackedError(false) },
  { name: 'Error tracker: resolved', sender: 'error_tracker', payload: trackedError(true) },
  { name: 'Cloud alarm: firing', sender: 'cloud_alarm', payload: alarm(false) },
  { name: 'Cloud alarm: resolved', sender: 'cloud_alarm', payload: alarm(true) },
  { name: 'Log forwarder', sender: 'log_forwarder', payload: LOG },
  {
    name: 'Log forwarder: one line, no cluster',
    sender: 'log_forwarder',
    payload: { date: 1_773_061_400, log: 'kernel: Out of memory: Killed process 2204 (indexer)\n', stream: 'stdout' },
  },
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
