import { ALERTMANAGER_VERSION } from '../version.ts'
import { counter, each, type Family, gauge, one } from './family.ts'

/** Alerts of the Alertmanager API; absent while its door is off. */
export const ALERTS: readonly Family[] = [
  gauge('tocsin_alerts', 'Alerts of the Alertmanager API in memory, by their state.', ({ alerts }) =>
    each('state', Object.entries(alerts?.states ?? {})),
  ),
  counter('tocsin_alerts_received_total', 'Valid alerts of the Alertmanager API, by their status.', ({ alerts }) =>
    each('status', Object.entries(alerts?.received ?? {})),
  ),
  counter('tocsin_alerts_unchanged_total', 'Alerts of the Alertmanager API that brought nothing new.', ({ alerts }) =>
    one(alerts?.unchanged),
  ),
  counter('tocsin_alerts_invalid_total', 'Alerts of the Alertmanager API that were refused.', ({ alerts }) =>
    one(alerts?.invalid),
  ),
  counter('tocsin_alerts_timed_out_total', 'Alerts that no sender repeated, taken as resolved.', ({ alerts }) =>
    one(alerts?.timedOut),
  ),
  gauge('tocsin_alert_table_seconds', 'What the last look at all claims of alerts took.', ({ alerts }) =>
    one(alerts && alerts.lookMs / SECOND_MS),
  ),
  // For tools and boards of Alertmanager:
  gauge('alertmanager_build_info', 'The version of Alertmanager whose API the door has.', ({ alerts }) =>
    alerts ? each('version', [[ALERTMANAGER_VERSION, 1]]) : [],
  ),
  gauge('alertmanager_alerts', 'Alerts of the Alertmanager API that fire.', ({ alerts }) =>
    alerts ? each('state', [['active', (alerts.states.firing ?? 0) + (alerts.states.muted ?? 0)]]) : [],
  ),
  counter('alertmanager_alerts_received_total', 'As tocsin_alerts_received_total.', ({ alerts }) =>
    each('status', Object.entries(alerts?.received ?? {})),
  ),
  gauge('alertmanager_silences', 'Silences that are in force.', ({ alerts, storage }) =>
    alerts && storage ? each('state', [['active', storage.silences.active]]) : [],
  ),
]
const SECOND_MS = 1_000
