import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import type { Extracted, Shape } from './extracted.ts'
import { asText, hasText, objectAt, own, tagsOf, textAt } from './fields.ts'

/** Sentry: an issue that changed, an event that met an alert rule, or a metric alert. */
export const errorTracker: Shape = {
  sender: 'error_tracker',
  matches(payload) {
    const data = objectAt(payload, 'data')
    return isObject(own(data, 'issue')) || isObject(own(data, 'event')) || isObject(own(data, 'metric_alert'))
  },
  read(payload) {
    const data = objectAt(payload, 'data')
    if (isObject(own(data, 'issue'))) return issue(payload, objectAt(data, 'issue'))
    return isObject(own(data, 'event')) ? event(objectAt(data, 'event')) : metricAlert(payload, data)
  },
  labels(payload) {
    const data = objectAt(payload, 'data')
    return [['issue', 'event', 'metric_alert'].map((kind) => tagsOf(own(objectAt(data, kind), 'tags')))]
  },
}

function issue(payload: Payload, issue: Payload): Extracted {
  const project = objectAt(issue, 'project')
  return {
    title: textAt(issue, ['title']) || metadataTitle(issue) || textAt(issue, ['culprit', 'shortId']),
    service: textAt(project, ['slug', 'name', 'id']),
    severity: textAt(issue, ['level']),
    resolved: hasText(payload, 'action', 'resolved') || hasText(issue, 'status', 'resolved'),
    identity: identity(textAt(project, ['id', 'slug', 'name']), textAt(issue, ['id', 'shortId', 'title'])),
  }
}

/** Reads an event. Its identity equals that of its issue: both name project and issue by the same ids. */
function event(event: Payload): Extracted {
  return {
    title: textAt(event, ['title']) || metadataTitle(event) || textAt(event, ['message', 'culprit']),
    service: textAt(event, ['project_slug', 'project_name', 'project']),
    severity: textAt(event, ['level']),
    resolved: false,
    identity: identity(textAt(event, ['project', 'project_slug']), textAt(event, ['issue_id', 'title', 'event_id'])),
  }
}

function metricAlert(payload: Payload, data: Payload): Extracted {
  const alert = objectAt(data, 'metric_alert')
  const rule = objectAt(alert, 'alert_rule')
  const projects = own(alert, 'projects')
  return {
    title: textAt(data, ['description_title']) || textAt(rule, ['name']) || textAt(alert, ['title']),
    service: Array.isArray(projects) ? asText(projects[0]) : '',
    severity: textAt(payload, ['action']),
    resolved: hasText(payload, 'action', 'resolved'),
    identity: identity('metric', textAt(rule, ['id', 'name']) || textAt(alert, ['id'])),
  }
}

function metadataTitle(of: Payload): string {
  const metadata = objectAt(of, 'metadata')
  const type = textAt(metadata, ['type'])
  const value = textAt(metadata, ['value', 'title'])
  return type && value ? `${type}: ${value}` : type || value
}

const identity = (project: string, id: string) => (id === '' ? '' : `${project}/${id}`)
