import type { Payload } from '../domain/incident.ts'
import type { AlertOf } from '../policy/silences/settings.ts'
import { asObject, hasText, listAt } from './fields.ts'
import { recognise } from './recognise.ts'

/** Bounds the work for a group that a hostile sender makes large. */
const MAX_ALERTS = 1_000

/**
 * Returns the firing alerts of a group, each as if it had come alone; of any other payload, and of a group that has
 * none, the whole. Undefined: more than 1,000.
 */
export function firingAlerts(payload: Payload): readonly AlertOf[] | undefined {
  const alerts = listAt(payload, 'alerts') ?? []
  const firing = alerts.filter((alert) => !hasText(asObject(alert), 'status', 'resolved'))
  if (firing.length > MAX_ALERTS) return undefined
  return (firing.length === 0 ? [payload] : firing.map((alert) => ({ ...payload, alerts: [alert] }))).map(alertOf)
}

function alertOf(payload: Payload): AlertOf {
  const { title, service, severity } = recognise(payload)
  return { title, service, severity, payload }
}
