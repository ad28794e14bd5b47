import type { AttemptRecord } from '../../api/attempt.ts'
import type { IncidentRecord } from '../../api/incident.ts'

/**
 * An incident is `resolved` when its sender reported it so or when it was resolved here. The column `status` keeps what
 * the sender reported; `resolved_at` is set by an operator, or when the sender reports the end of a problem that pages.
 */
export const EFFECTIVE_STATUS = `CASE WHEN resolved_at IS NULL THEN status ELSE 'resolved' END`

export const INCIDENT_COLUMNS = `seq, id, title, service, severity, ${EFFECTIVE_STATUS} AS status, status AS reported_status, source, sender, fingerprint, created_at, committed_at, acked_at,
  acked_by, resolved_at, resolved_by, channels_enabled, channels_notified, notify_status, notify_error, oncall_triggered, oncall_error, silence`

/** Columns of `incidents`. */
export interface IncidentRow
  extends Pick<
    IncidentRecord,
    | ('id' | 'title' | 'service' | 'severity' | 'status' | 'reported_status' | 'source' | 'sender' | 'fingerprint')
    | ('acked_by' | 'resolved_by' | 'notify_error' | 'oncall_error' | 'silence')
  > {
  readonly seq: number
  readonly created_at: number
  readonly committed_at: number
  readonly acked_at: number | null
  readonly resolved_at: number | null
  readonly channels_enabled: number
  readonly channels_notified: number
  readonly notify_status: number
  readonly oncall_triggered: number
}

/** The first revision of the digest that covers the place of the delivery. */
const telling = (column: string) =>
  `(SELECT r.${column} FROM revisions r WHERE r.bundle = d.bundle AND r.through >= d.place ORDER BY r.number LIMIT 1)`

/** Columns of a `DeliveryRow`, of `dispatches d`. */
export const DELIVERY_COLUMNS = `incident, destination, (SELECT channel FROM destinations WHERE code = destination) AS channel, state, attempts, earlier_attempts, due_at,
  target, may_duplicate, message_id, dead_reason, (SELECT channel FROM destinations WHERE code = d.fallback_of) AS failed_channel,
  (SELECT target FROM destinations WHERE code = d.fallback_of) AS failed_target, d.bundle, d.place, (SELECT kind FROM bundles WHERE id = d.bundle) AS bundle_kind, ${telling('number')} AS revision, ${telling('told_at')} AS told_at`

/** Columns of a delivery in `dispatches`. */
export interface DeliveryRow {
  readonly incident: number
  readonly destination: number
  readonly channel: number
  readonly state: number
  readonly attempts: number
  readonly earlier_attempts: number
  readonly due_at: number | null
  readonly target: string | null
  readonly may_duplicate: number
  readonly message_id: string | null
  readonly dead_reason: string | null
  /** Destination that it stands in for; null: routes or the request chose it. */
  readonly failed_channel: number | null
  /** Empty: the default one. */
  readonly failed_target: string | null
  /** Number of the digest that it has a place in. */
  readonly bundle: number | null
  readonly place: number | null
  /** Null: a message of its own. */
  readonly bundle_kind: number | null
  readonly revision: number | null
  readonly told_at: number | null
}

/** Columns of `attempts`. */
export interface AttemptRow
  extends Pick<
    AttemptRecord,
    | ('number' | 'duration_ms' | 'outcome' | 'detail' | 'message_id' | 'render_fault')
    | ('render_ms' | 'limiter_wait_ms' | 'connected_ms')
  > {
  readonly channel: number
  readonly started_at: number
  readonly may_duplicate: number
  readonly text: string | null
  readonly handed_out_at: number | null
}
