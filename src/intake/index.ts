import { agent } from './agent.ts'
import { cloudAlarm } from './cloud-alarm.ts'
import { custom } from './custom.ts'
import { dashboardAlerts } from './dashboard-alerts.ts'
import { errorTracker } from './error-tracker.ts'
import type { Shape } from './extracted.ts'
import { groupedAlerts } from './grouped-alerts.ts'
import { logForwarder } from './log-forwarder.ts'

/** Asked in this order, the narrower shape before the wider: a dashboard's payload is also one of grouped alerts, and anything is custom. */
export const SHAPES: readonly Shape[] = [
  agent,
  dashboardAlerts,
  groupedAlerts,
  logForwarder,
  cloudAlarm,
  errorTracker,
  custom,
]
