import type { Payload } from '../domain/incident.ts'
import type { Shape } from './extracted.ts'
import { hasText, own, tagsOf, textAt } from './fields.ts'

/** Any other object: common names of fields are tried, the most specific ones first. */
export const custom: Shape = {
  sender: 'custom',
  matches: () => true,
  read(payload) {
    const title = textAt(payload, TITLES) || firstText(payload)
    const service = textAt(payload, SERVICES)
    const explicit = textAt(payload, KEYS)
    return {
      title: title || service,
      service,
      severity: textAt(payload, SEVERITIES),
      resolved: STATES.some((key) => hasText(payload, key, 'resolved')),
      identity: explicit ? `key:${explicit}` : `${service}: ${title}`,
    }
  },
  labels: (payload) => [[tagsOf(own(payload, 'labels')), tagsOf(own(payload, 'tags'))]],
}

const TITLES = (
  'title Title alertname alert_name alertName AlertName ruleName rule_name check name Name summary ' +
  'Summary subject Subject message Message msg text Text event alert error Logs logs Log log ' +
  'description Description details'
).split(' ')
const SERVICES = (
  'service Service ServiceName serviceName service_name app application component job source Source ' +
  'host hostname instance'
).split(' ')
const SEVERITIES = ['severity', 'Severity', 'level', 'Level', 'priority', 'Priority', 'urgency']
const STATES = ['status', 'Status', 'state', 'State', 'alertState', 'alert_state', 'AlertState']
const KEYS = (
  'fingerprint Fingerprint dedup_key dedupKey deduplication_key incident_key incidentKey incident_id ' +
  'incidentId alert_id alertId'
).split(' ')

const MAX_KEYS = 32
const NOT_TITLES = new Set([...SERVICES, ...SEVERITIES, ...STATES, ...KEYS, 'UserID'])

/** Returns the first text under a key that is in none of the lists above. */
function firstText(payload: Payload): string {
  for (const key of Object.keys(payload).slice(0, MAX_KEYS)) {
    const value = payload[key]
    if (typeof value === 'string' && !NOT_TITLES.has(key) && /\S/.test(value)) return value
  }
  return ''
}
