import type { Payload } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'
import { isObject } from '../text/json-object.ts'
import type { Shape } from './extracted.ts'
import { asObject, asText, hasText, listAt, objectAt, own, textAt } from './fields.ts'

/** Prometheus Alertmanager, webhook payload version 4, and what speaks like it. */
export const groupedAlerts: Shape = {
  sender: 'grouped_alerts',
  matches: isGroup,
  read: (payload) => ({
    title: groupTitle(payload),
    service: groupService(payload),
    severity: groupSeverity(payload),
    resolved: groupResolved(payload),
    identity: groupIdentity(payload),
  }),
}

/** A list of alerts that says at least one thing more in Alertmanager's words. */
export function isGroup(payload: Payload): boolean {
  const alerts = listAt(payload, 'alerts')
  if (alerts === undefined) return false
  return (
    typeof own(payload, 'groupKey') === 'string' ||
    isObject(own(payload, 'commonLabels')) ||
    isObject(own(payload, 'groupLabels')) ||
    isObject(own(asObject(alerts[0]), 'labels'))
  )
}

const NAMES = ['alertname', 'alert', 'name']
const SUMMARIES = ['summary', 'title', 'message', 'description']
const SERVICES = ['service', 'service_name', 'app', 'app_kubernetes_io_name', 'application', 'component']
const FALLBACK_SERVICES = ['job', 'deployment', 'namespace', 'instance', 'host', 'cluster']
const SEVERITIES = ['severity', 'level', 'priority']

/** The name all alerts share, else the first one's and how many others there are. */
export function groupTitle(payload: Payload): string {
  const shared = textAt(objectAt(payload, 'commonLabels'), NAMES) || textAt(objectAt(payload, 'groupLabels'), NAMES)
  if (shared !== '') return shared
  const alerts = listAt(payload, 'alerts') ?? []
  const first = asObject(alerts[0])
  const name =
    textAt(objectAt(first, 'labels'), NAMES) ||
    textAt(objectAt(payload, 'commonAnnotations'), SUMMARIES) ||
    textAt(objectAt(first, 'annotations'), SUMMARIES)
  return name !== '' && alerts.length > 1 ? `${name} and ${alerts.length - 1} more` : name
}

export function groupService(payload: Payload): string {
  const common = objectAt(payload, 'commonLabels')
  const first = objectAt(asObject(listAt(payload, 'alerts')?.[0]), 'labels')
  return (
    textAt(common, SERVICES) ||
    textAt(first, SERVICES) ||
    textAt(common, FALLBACK_SERVICES) ||
    textAt(first, FALLBACK_SERVICES)
  )
}

/** The severity all alerts share, else the loudest of those still firing. */
export function groupSeverity(payload: Payload): string {
  const shared = textAt(objectAt(payload, 'commonLabels'), SEVERITIES)
  if (shared !== '') return shared
  let firing = ''
  let resolved = ''
  for (const alert of listAt(payload, 'alerts') ?? []) {
    const severity = textAt(objectAt(asObject(alert), 'labels'), SEVERITIES)
    if (severity === '') continue
    if (hasText(asObject(alert), 'status', 'resolved')) resolved = moreSevere(resolved, severity)
    else firing = moreSevere(firing, severity)
  }
  return firing || resolved
}

const moreSevere = (a: string, b: string) => (a === '' || severityRank(b) < severityRank(a) ? b : a)

/** By the group's own status; a group without one is resolved when all its alerts are. */
export function groupResolved(payload: Payload): boolean {
  if (typeof own(payload, 'status') === 'string') return hasText(payload, 'status', 'resolved')
  const alerts = listAt(payload, 'alerts') ?? []
  return alerts.length > 0 && alerts.every((alert) => hasText(asObject(alert), 'status', 'resolved'))
}

/**
 * The key of the group, which Alertmanager keeps while alerts come and go; else the labels that do not change with the
 * members, else the alerts themselves. Sorted, because JSON keeps no order worth relying on.
 */
export function groupIdentity(payload: Payload): string {
  const key = asText(own(payload, 'groupKey'))
  if (key !== '') return key
  const labels = labelSet(objectAt(payload, 'groupLabels')) || labelSet(objectAt(payload, 'commonLabels'))
  return labels || (listAt(payload, 'alerts') ?? []).map(alertIdentity).sort().join('\n')
}

function alertIdentity(alert: unknown): string {
  return asText(own(asObject(alert), 'fingerprint')) || labelSet(objectAt(asObject(alert), 'labels'))
}

/** `{a="1",b="2"}` in the order of the names, quoted so that no value can pass for another label. */
function labelSet(labels: Payload): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${JSON.stringify(name)}=${JSON.stringify(asText(labels[name]))}`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
