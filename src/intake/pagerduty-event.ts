import { isSeverity } from '../domain/severity.ts'
import type { Shape } from './extracted.ts'
import { objectAt, own, textAt } from './fields.ts'

/** An event of PagerDuty's Events API v2, with the name of its routing key as `integration` in place of the key. */
export const pagerdutyEvent: Shape = {
  sender: 'pagerduty_event',
  matches: (payload) => NAMES.every((name) => typeof own(payload, name) === 'string'),
  read(event) {
    const payload = objectAt(event, 'payload')
    const severity = textAt(payload, ['severity'])
    return {
      title: textAt(payload, ['summary']),
      service: textAt(payload, ['component', 'source']),
      severity: isSeverity(severity) ? severity : 'error',
      resolved: own(event, 'event_action') === 'resolve',
      identity: `${textAt(event, ['integration'])}:${textAt(event, ['dedup_key'])}`,
    }
  },
  labels(event) {
    const payload = objectAt(event, 'payload')
    const known = PLACES.filter((name) => Object.hasOwn(payload, name)).map((name) => [name, payload[name]] as const)
    return [
      [{ integration: own(event, 'integration') }, Object.fromEntries(known), objectAt(payload, 'custom_details')],
    ]
  },
}

const NAMES = ['event_action', 'dedup_key', 'integration']
const PLACES = ['source', 'component', 'group', 'class']
