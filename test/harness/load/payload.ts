import type { Payload } from '../../../src/domain/incident.ts'

/** Returns a grouped alert of one kilobyte. */
export function groupedAlert(summary = 'The disk of db-3 will be full within four hours'): Payload {
  const labels = {
    alertname: 'DiskWillFillSoon',
    instance: 'db-3.west.internal:9100',
    job: 'node',
    severity: 'critical',
  }
  const annotations = {
    summary,
    description: 'At the rate of the last six hours /var/lib/postgresql runs out of space before the morning. '.repeat(
      4,
    ),
  }
  const alert = {
    status: 'firing',
    labels,
    annotations,
    startsAt: '2026-01-12T03:04:05Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.internal/graph?g0.expr=predict_linear',
    fingerprint: '7c1f2a9be0d35a44',
  }
  return {
    version: '4',
    groupKey: '{}:{alertname="DiskWillFillSoon"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'tocsin',
    groupLabels: { alertname: labels.alertname },
    commonLabels: labels,
    commonAnnotations: {},
    externalURL: 'http://alertmanager.internal',
    alerts: [alert],
  }
}

/** Returns a payload of about `bytes` bytes: free-form when small, else a group of alerts. */
export function payloadOf(bytes: number): Payload {
  const alert = groupedAlert()
  const size = JSON.stringify(alert).length
  if (bytes < size)
    return { ...SMALL, Logs: SMALL.Logs.padEnd(bytes - JSON.stringify(SMALL).length + SMALL.Logs.length, '.') }
  const [first] = alert.alerts as object[]
  const more = Math.round((bytes - size) / JSON.stringify(first).length)
  return { ...alert, alerts: Array.from({ length: 1 + more }, () => first) }
}
const SMALL = {
  ServiceName: 'ledger',
  severity: 'critical',
  title: 'cannot write entry 4711',
  Logs: 'the disk is full',
}

/** Returns the alert as Alertmanager accepts it, padded to the size of the whole group. */
export function alertmanagerAlerts(): Payload[] {
  const whole = groupedAlert()
  const [{ labels, annotations, startsAt, generatorURL } = {}] = whole.alerts as Payload[]
  const alert = (runbook: string) => ({
    labels,
    annotations: { ...(annotations as Payload), runbook },
    startsAt,
    generatorURL,
  })
  const missing = JSON.stringify(whole).length - JSON.stringify([alert('')]).length
  return [alert('.'.repeat(Math.max(0, missing)))]
}
