import type { Shape } from './extracted.ts'
import { hasText, objectAt, own, tagsOf, textAt } from './fields.ts'

/** A create or close request of Opsgenie's Alert API, with the name of its API key as `integration`. */
export const opsgenieAlert: Shape = {
  sender: 'opsgenie_alert',
  matches: (payload) =>
    ['integration', 'alias'].every((name) => typeof own(payload, name) === 'string') &&
    (own(payload, 'action') === 'create' || own(payload, 'action') === 'close'),
  read: (alert) => ({
    title: textAt(alert, ['message']),
    service: textAt(objectAt(alert, 'details'), ['service']) || textAt(alert, ['entity', 'source']),
    severity: PRIORITIES.find((priority) => hasText(alert, 'priority', priority)) ?? 'p3',
    resolved: own(alert, 'action') === 'close',
    identity: `${textAt(alert, ['integration'])}:${textAt(alert, ['alias'])}`,
  }),
  labels: (alert) => [
    [{ integration: own(alert, 'integration') }, objectAt(alert, 'details'), tagsOf(own(alert, 'tags'))],
  ],
}

const PRIORITIES = ['p1', 'p2', 'p3', 'p4', 'p5']
