import { AGENT } from './agent.ts'
import { CLOUD_ALARM } from './cloud-alarm.ts'
import { CUSTOM } from './custom.ts'
import { DASHBOARD_ALERTS } from './dashboard-alerts.ts'
import { ERROR_TRACKER } from './error-tracker.ts'
import { GROUPED_ALERTS } from './grouped-alerts.ts'
import { LOG_FORWARDER } from './log-forwarder.ts'
import type { Sample } from './sample.ts'

/**
 * Firing and resolved payloads of every sender, with one and with many alerts. Templates are tried with all of them at
 * the start; the dashboard and the gallery show them in this order.
 */
export const SAMPLES: readonly Sample[] = [
  ...GROUPED_ALERTS,
  ...DASHBOARD_ALERTS,
  ...ERROR_TRACKER,
  ...CLOUD_ALARM,
  ...LOG_FORWARDER,
  ...AGENT,
  ...CUSTOM,
]
