import type { Payload } from '../../domain/incident.ts'
import { NEVER } from './grouped-alerts.ts'
import type { Sample } from './sample.ts'

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
