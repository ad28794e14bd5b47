import type { Payload, Sender } from '../../domain/incident.ts'

/** An invented payload in the format of its sender. */
export interface Sample {
  /** Unique; used as a heading in the gallery. */
  readonly name: string
  readonly sender: Sender
  readonly payload: Payload
}

/** End time that the sender writes while an alert is firing. */
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

export const GROUPED_ALERTS: readonly Sample[] = [
  { name: 'Grouped alerts: one firing', sender: 'grouped_alerts', payload: group([diskAlert()]) },
  { name: 'Grouped alerts: resolved', sender: 'grouped_alerts', payload: group([diskAlert({ resolved: true })], true) },
  {
    name: 'Grouped alerts: not reported any more',
    sender: 'grouped_alerts',
    payload: {
      ...group([diskAlert({ resolved: true })], true),
      ended_by: 'timeout',
      last_reported_at: '2026-03-09T02:58:47.204Z',
    },
  },
  { name: 'Grouped alerts: a fleet, partly recovered', sender: 'grouped_alerts', payload: group(FLEET) },
  { name: 'Grouped alerts: different alerts', sender: 'grouped_alerts', payload: MIXED },
]

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

export const DASHBOARD_ALERTS: readonly Sample[] = [
  { name: 'Dashboard alert: firing', sender: 'dashboard_alerts', payload: dashboard(false) },
  { name: 'Dashboard alert: resolved', sender: 'dashboard_alerts', payload: dashboard(true) },
]
