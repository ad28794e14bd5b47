import type { Payload } from '../src/domain/incident.ts'

/** A grouped alert of one kilobyte, as it is posted. */
export function groupedAlert(): Payload {
  const labels = {
    alertname: 'DiskWillFillSoon',
    instance: 'db-3.west.internal:9100',
    job: 'node',
    severity: 'critical',
  }
  const annotations = {
    summary: 'The disk of db-3 will be full within four hours',
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
