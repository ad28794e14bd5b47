import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import type { Shape } from './extracted.ts'
import { asText, hasText, own, tagsOf, textAt } from './fields.ts'
import {
  groupChange,
  groupIdentity,
  groupLabels,
  groupResolved,
  groupService,
  groupSeverity,
  groupTitle,
  isGroup,
} from './grouped-alerts.ts'

/** Grafana: grouped alerts with its own title, state and message, and the single alerts of versions before 9. */
export const dashboardAlerts: Shape = {
  sender: 'dashboard_alerts',
  matches: (payload) => (isGroup(payload) ? hasDashboardFields(payload) : isLegacy(payload)),
  read: (payload) =>
    isGroup(payload)
      ? {
          title: groupTitle(payload) || textAt(payload, ['title']),
          service: groupService(payload),
          severity: groupSeverity(payload),
          resolved: isOk(payload),
          identity: groupIdentity(payload),
          ...groupChange(payload, isOk(payload)),
        }
      : {
          title: textAt(payload, ['ruleName', 'title']),
          service: legacyService(payload),
          severity: '',
          resolved: isOk(payload),
          identity: textAt(payload, ['ruleId', 'ruleName']),
        },
  labels: (payload) => (isGroup(payload) ? groupLabels(payload) : [[tagsOf(own(payload, 'tags'))]]),
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
