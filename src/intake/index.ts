import { agent } from './agent.ts'
import { cloudAlarm } from './cloud-alarm.ts'
import { custom } from './custom.ts'
import { dashboardAlerts } from './dashboard-alerts.ts'
import { errorTracker } from './error-tracker.ts'
import type { Shape } from './extracted.ts'
import { groupedAlerts } from './grouped-alerts.ts'
import { logForwarder } from './log-forwarder.ts'
import { opsgenieAlert } from './opsgenie-alert.ts'
import { pagerdutyEvent } from './pagerduty-event.ts'

/**
 * Shapes of payloads in the order in which they are tried, narrower ones first: a payload of `dashboardAlerts` also
 * matches `groupedAlerts`, and any payload matches `custom`. What the doors write is first, because senders choose its
 * other fields. A new one is a file here and a line in this table.
 */
export const SHAPES: readonly Shape[] = [
  pagerdutyEvent,
  opsgenieAlert,
  agent,
  dashboardAlerts,
  groupedAlerts,
  logForwarder,
  cloudAlarm,
  errorTracker,
  custom,
]
