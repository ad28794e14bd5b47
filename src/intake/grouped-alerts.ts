import type { Payload } from '../domain/incident.ts'
import { severityRank } from '../domain/severity.ts'
import { type LabelSet, MAX_ALERTS } from '../policy/fields.ts'
import { isObject } from '../text/json-object.ts'
import type { Extracted, Shape } from './extracted.ts'
import { asObject, asText, hasText, listAt, objectAt, own, textAt } from './fields.ts'

/** Prometheus Alertmanager, webhook payload version 4, and programs that write the same form. */
export const groupedAlerts: Shape = {
  sender: 'grouped_alerts',
  matches: isGroup,
  read: (payload) => readGroup(payload, groupResolved(payload)),
  labels: groupLabels,
}

export function readGroup(payload: Payload, resolved: boolean): Extracted {
  return {
    title: groupTitle(payload),
    service: groupService(payload),
    severity: groupSeverity(payload),
    resolved,
    identity: groupIdentity(payload),
    ...groupChange(payload, resolved),
  }
}

/** Returns true for a list of alerts with at least one further field of Alertmanager's. */
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

/** Returns the labels of each of the first alerts, with those that all alerts share. */
function groupLabels(payload: Payload): readonly LabelSet[] {
  const shared = [objectAt(payload, 'commonLabels'), objectAt(payload, 'groupLabels')]
  const alerts = listAt(payload, 'alerts') ?? []
  if (alerts.length === 0) return [shared]
  return alerts.slice(0, MAX_ALERTS).map((alert) => [objectAt(asObject(alert), 'labels'), ...shared])
}

const NAMES = ['alertname', 'alert', 'name']
const SUMMARIES = ['summary', 'title', 'message', 'description']
const SERVICES = ['service', 'service_name', 'app', 'app_kubernetes_io_name', 'application', 'component']
const FALLBACK_SERVICES = ['job', 'deployment', 'namespace', 'instance', 'host', 'cluster']
const SEVERITIES = ['severity', 'level', 'priority']

/** Returns the name that all alerts share, else that of the first alert and the number of others. */
function groupTitle(payload: Payload): string {
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

function groupService(payload: Payload): string {
  const common = objectAt(payload, 'commonLabels')
  const first = objectAt(asObject(listAt(payload, 'alerts')?.[0]), 'labels')
  return (
    textAt(common, SERVICES) ||
    textAt(first, SERVICES) ||
    textAt(common, FALLBACK_SERVICES) ||
    textAt(first, FALLBACK_SERVICES)
  )
}

const MAX_MEMBERS = 64
const MAX_MEMBER = 64

/**
 * Returns which alerts of a group fire, when each says so, and when its alerts began to fire last; of a resolved group,
 * when they ended.
 */
function groupChange(payload: Payload, resolved: boolean): Pick<Extracted, 'changedAt' | 'members'> {
  const alerts = (listAt(payload, 'alerts') ?? []).map(asObject)
  const firing = alerts.slice(0, MAX_ALERTS).filter((alert) => !hasText(alert, 'status', 'resolved'))
  if (resolved) return { changedAt: latest(alerts.slice(0, MAX_ALERTS), 'endsAt') }
  const members = firing.map((alert) => asText(own(alert, 'fingerprint')))
  const known = alerts.length <= MAX_ALERTS && members.length <= MAX_MEMBERS
  const named = members.every((member) => member !== '' && member.length <= MAX_MEMBER)
  return { changedAt: latest(firing, 'startsAt'), members: known && named ? members : undefined }
}

/** Returns the latest of the times under `key`, epoch milliseconds; undefined when one of them is no time. */
function latest(alerts: readonly Payload[], key: string): number | undefined {
  const times = alerts.map((alert) => Date.parse(asText(own(alert, key))))
  const last = Math.max(...times)
  return Number.isFinite(last) ? last : undefined
}

/** Returns the severity that all alerts share, else the highest of those that fire, else the highest of all. */
function groupSeverity(payload: Payload): string {
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

/** Reads the status of the group; a group without one is resolved when all its alerts are. */
export function groupResolved(payload: Payload): boolean {
  if (typeof own(payload, 'status') === 'string') return hasText(payload, 'status', 'resolved')
  const alerts = listAt(payload, 'alerts') ?? []
  return alerts.length > 0 && alerts.every((alert) => hasText(asObject(alert), 'status', 'resolved'))
}

/**
 * Returns the key of the group, which stays the same while alerts come and go; else its group labels or common labels,
 * else the fingerprints of its alerts. Sorted, because senders may write labels and alerts in any order.
 */
function groupIdentity(payload: Payload): string {
  const key = asText(own(payload, 'groupKey'))
  if (key !== '') return key
  const labels = labelSet(objectAt(payload, 'groupLabels')) || labelSet(objectAt(payload, 'commonLabels'))
  return labels || (listAt(payload, 'alerts') ?? []).map(alertIdentity).sort().join('\n')
}

function alertIdentity(alert: unknown): string {
  return asText(own(asObject(alert), 'fingerprint')) || labelSet(objectAt(asObject(alert), 'labels'))
}

/**
 * Returns `{"a"="1","b"="2"}`, sorted by name, quoted so that no value can look like another label; '' without labels.
 */
export function labelSet(labels: Payload): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${JSON.stringify(name)}=${JSON.stringify(asText(labels[name]))}`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}
