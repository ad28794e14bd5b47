import type { Payload } from '../../domain/incident.ts'
import type { Sample } from './sample.ts'

/** End time that the sender writes while an alert is firing. */
export const NEVER = '0001-01-01T00:00:00Z'

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
  { name: 'Grouped alerts: a fleet, partly recovered', sender: 'grouped_alerts', payload: group(FLEET) },
  { name: 'Grouped alerts: different alerts', sender: 'grouped_alerts', payload: MIXED },
]
