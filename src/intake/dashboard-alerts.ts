import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import type { Shape } from './extracted.ts'
import { asText, hasText, own, tagsOf, textAt } from './fields.ts'
import { groupedAlerts, groupResolved, isGroup, readGroup } from './grouped-alerts.ts'

/** Grafana: grouped alerts with its own title, state and message, and the single alerts of versions before 9. */
export const dashboardAlerts: Shape = {
  sender: 'dashboard_alerts',
  matches: (payload) => (isGroup(payload) ? hasDashboardFields(payload) : isLegacy(payload)),
  read(payload) {
    const resolved = isOk(payload)
    if (!isGroup(payload)) {
      const [title, identity] = [textAt(payload, ['ruleName', 'title']), textAt(payload, ['ruleId', 'ruleName'])]
      return { title, service: legacyService(payload), severity: '', resolved, identity }
    }
    const group = readGroup(payload, resolved)
    return { ...group, title: group.title || textAt(payload, ['title']) }
  },
  labels: (payload) => (isGroup(payload) ? groupedAlerts.labels(payload) : [[tagsOf(own(payload, 'tags'))]]),
}

function hasDashboardFields(payload: Payload): boolean {
  return (
    own(payload, 'orgId') !== undefined ||
    (typeof own(payload, 'state') === 'string' && own(payload, 'title') !== undefined)
  )
}

const isLegacy = (payload: Payload) =>
  typeof own(payload, 'ruleName') === 'string' && typeof own(payload, 'state') === 'string'

/** Reads `state`; a payload without it has `status`, as grouped alerts do. */
function isOk(payload: Payload): boolean {
  if (typeof own(payload, 'state') !== 'string') return groupResolved(payload)
  return hasText(payload, 'state', 'ok') || hasText(payload, 'state', 'resolved')
}

function legacyService(payload: Payload): string {
  const tags = own(payload, 'tags')
  return isObject(tags) ? textAt(tags, ['service', 'app', 'job']) || asText(own(tags, 'host')) : ''
}
