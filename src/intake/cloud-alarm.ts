import type { Payload } from '../domain/incident.ts'
import type { Shape } from './extracted.ts'
import { asObject, asText, hasText, listAt, objectAt, own, tagsOf, textAt } from './fields.ts'

/** CloudWatch alarms, as a notification topic delivers them. */
export const cloudAlarm: Shape = {
  sender: 'cloud_alarm',
  matches: (payload) =>
    typeof own(payload, 'AlarmName') === 'string' && typeof own(payload, 'NewStateValue') === 'string',
  read: (payload) => ({
    title: textAt(payload, ['AlarmName']),
    service: metricOf(objectAt(payload, 'Trigger')),
    severity: textAt(payload, ['NewStateValue']),
    resolved: hasText(payload, 'NewStateValue', 'ok'),
    identity: textAt(payload, ['AlarmArn']) || address(payload),
    changedAt: timeOf(payload),
  }),
  labels(payload) {
    const trigger = objectAt(payload, 'Trigger')
    return [[tagsOf(own(trigger, 'Dimensions')), tagsOf(own(metricIn(trigger), 'Dimensions'))]]
  },
}

/** Returns the value of the metric's first dimension, else the namespace of the metric. */
function metricOf(trigger: Payload): string {
  const metric = metricIn(trigger)
  return dimension(trigger) || dimension(metric) || textAt(trigger, ['Namespace']) || textAt(metric, ['Namespace'])
}

function timeOf(payload: Payload): number | undefined {
  const at = Date.parse(asText(own(payload, 'StateChangeTime')))
  return Number.isNaN(at) ? undefined : at
}

const metricIn = (trigger: Payload) =>
  objectAt(objectAt(asObject(listAt(trigger, 'Metrics')?.[0]), 'MetricStat'), 'Metric')

const dimension = (of: Payload) => textAt(asObject(listAt(of, 'Dimensions')?.[0]), ['value', 'Value'])

const address = (payload: Payload) =>
  ['AWSAccountId', 'Region', 'AlarmName'].map((key) => asText(own(payload, key))).join('/')
