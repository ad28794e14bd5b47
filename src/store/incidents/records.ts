import type { ChannelName, DeliveryState, Outcome } from '../../domain/delivery.ts'
import type { NotifyStatus, Sender, Source, Status } from '../../domain/incident.ts'
import type { TopicOrigin } from '../../domain/topic.ts'
import { channelName, channelsIn, NOTIFY, notifyName, PAGER_CODE, stateName } from '../engine/column-codes.ts'
import { type OncallRecord, oncallRecord } from '../oncall/record.ts'
import type { OncallRow } from '../oncall/rows.ts'

/** An incident as the admin API shows it; times are ISO 8601. */
export interface IncidentRecord {
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly source: Source
  readonly sender: Sender
  readonly fingerprint: string
  readonly created_at: string
  readonly acked_at: string | null
  readonly acked_by: string | null
  readonly resolved_at: string | null
  readonly channels_enabled: ChannelName[]
  readonly channels_notified: ChannelName[]
  readonly notify_status: NotifyStatus
  readonly notify_error: string | null
  readonly oncall_triggered: boolean
  readonly oncall_error: string | null
}

/** One line of the ledger as the admin API shows it. */
export interface AttemptRecord {
  readonly number: number
  readonly started_at: string
  readonly duration_ms: number
  readonly outcome: Outcome['kind']
  readonly detail: string
  readonly message_id: string | null
  readonly may_duplicate: boolean
  readonly render_fault: string | null
  /**
   * The waterfall of the attempt: from `committed_at` to `handed_out_at` it waited on disk, from there to `started_at` it was
   * `queued_ms` (for a render thread and a free line), `render_ms` and `limiter_wait_ms`, from `started_at` to the end `confirmed_ms`.
   * `handed_out_at` and `queued_ms` are null for attempts of versions that did not note them.
   */
  readonly committed_at: string
  readonly handed_out_at: string | null
  readonly queued_ms: number | null
  readonly render_ms: number
  readonly limiter_wait_ms: number
  /** Part of `confirmed_ms`, until a connection stood; null when one was kept alive, and for mail, which cannot tell. */
  readonly connected_ms: number | null
  /** Until the provider's answer, or the failure; the same as `duration_ms`. */
  readonly confirmed_ms: number
}

/** A delivery in a list: what it is of, where it stands. */
export interface DeliveryRecord {
  readonly incident_id: string
  readonly title: string
  readonly channel: ChannelName
  readonly state: DeliveryState
  /** Attempts in all, those before a replay included. */
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly target: string | null
  readonly may_duplicate: boolean
  readonly message_id: string | null
  readonly dead_reason: string | null
}

/** A delivery inside an incident's detail: with its ledger and the text that was sent last. */
export interface DeliveryDetail extends Omit<DeliveryRecord, 'incident_id' | 'title' | 'attempts'> {
  readonly attempts: AttemptRecord[]
  readonly text: string | null
}

/** Everything that is known of one incident. */
export interface IncidentDetail extends IncidentRecord {
  readonly content: unknown
  /** Of the first incident of a topic message. */
  readonly topic: TopicOrigin | null
  readonly stages: {
    readonly received_at: string
    readonly committed_at: string
    readonly first_attempt_at: string | null
    /** End of the attempt that finished the last delivery; null while any is unfinished. */
    readonly notified_at: string | null
  }
  readonly deliveries: DeliveryDetail[]
  /** null: the incident pages nobody. */
  readonly oncall: (OncallRecord & { readonly attempts: AttemptRecord[] }) | null
}

export const INCIDENT_COLUMNS = `seq, id, title, service, severity, status, source, sender, fingerprint, created_at, committed_at, acked_at,
  acked_by, resolved_at, channels_enabled, channels_notified, notify_status, notify_error, oncall_triggered, oncall_error`

/** Columns of `incidents`. */
export interface IncidentRow {
  readonly seq: number
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly source: Source
  readonly sender: Sender
  readonly fingerprint: string
  readonly created_at: number
  readonly committed_at: number
  readonly acked_at: number | null
  readonly acked_by: string | null
  readonly resolved_at: number | null
  readonly channels_enabled: number
  readonly channels_notified: number
  readonly notify_status: number
  readonly notify_error: string | null
  readonly oncall_triggered: number
  readonly oncall_error: string | null
}
/** Columns of `deliveries`. */
export interface DeliveryRow {
  readonly incident: number
  readonly channel: number
  readonly state: number
  readonly attempts: number
  readonly earlier_attempts: number
  readonly next_attempt_at: number | null
  readonly target: string | null
  readonly may_duplicate: number
  readonly message_id: string | null
  readonly dead_reason: string | null
}
/** Columns of `attempts`. */
export interface AttemptRow {
  readonly channel: number
  readonly number: number
  readonly started_at: number
  readonly duration_ms: number
  readonly outcome: Outcome['kind']
  readonly detail: string
  readonly message_id: string | null
  readonly may_duplicate: number
  readonly render_fault: string | null
  readonly render_ms: number
  readonly limiter_wait_ms: number
  readonly text: string | null
  readonly handed_out_at: number | null
  readonly connected_ms: number | null
}
export interface DetailRows {
  readonly incident: IncidentRow & { readonly content: Uint8Array; readonly origin: string | null }
  readonly deliveries: readonly DeliveryRow[]
  /** In order of number within each channel. */
  readonly attempts: readonly AttemptRow[]
  readonly oncall: OncallRow | undefined
}

export function incidentRecord(row: IncidentRow): IncidentRecord {
  const { id, title, service, severity, status, source, sender, fingerprint, acked_by, notify_error, oncall_error } =
    row
  return {
    id,
    title,
    service,
    severity,
    status,
    source,
    sender,
    fingerprint,
    created_at: iso(row.created_at),
    acked_at: isoOrNull(row.acked_at),
    acked_by,
    resolved_at: isoOrNull(row.resolved_at),
    channels_enabled: channelsIn(row.channels_enabled),
    channels_notified: channelsIn(row.channels_notified),
    notify_status: notifyName(row.notify_status),
    notify_error,
    oncall_triggered: row.oncall_triggered === 1,
    oncall_error,
  }
}

export function deliveryRecord(row: DeliveryRow): Omit<DeliveryRecord, 'incident_id' | 'title'> {
  const { target, message_id, dead_reason } = row
  return {
    channel: channelName(row.channel),
    state: stateName(row.state),
    attempts: row.earlier_attempts + row.attempts,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    target,
    may_duplicate: row.may_duplicate === 1,
    message_id,
    dead_reason,
  }
}

export function detailOf({ incident, deliveries, attempts: all, oncall }: DetailRows): IncidentDetail {
  const attempts = all.filter((attempt) => attempt.channel !== PAGER_CODE)
  const pages = all.filter((attempt) => attempt.channel === PAGER_CODE)
  const unfinished = incident.notify_status === NOTIFY.pending
  return {
    ...incidentRecord(incident),
    content: JSON.parse(new TextDecoder().decode(incident.content)),
    topic: incident.origin === null ? null : JSON.parse(incident.origin),
    stages: {
      received_at: iso(incident.created_at),
      committed_at: iso(incident.committed_at),
      first_attempt_at: isoOrNull(least(attempts.map((attempt) => attempt.started_at))),
      notified_at: unfinished ? null : isoOrNull(greatest(attempts.map((a) => a.started_at + a.duration_ms))),
    },
    deliveries: deliveries.map((row) => {
      const own = attempts.filter((attempt) => attempt.channel === row.channel)
      const text = own.findLast((attempt) => attempt.text !== null)?.text ?? null
      return { ...deliveryRecord(row), attempts: own.map((attempt) => attemptRecord(attempt, incident)), text }
    }),
    oncall:
      oncall === undefined
        ? null
        : { ...oncallRecord(oncall), attempts: pages.map((attempt) => attemptRecord(attempt, incident)) },
  }
}

function attemptRecord(row: AttemptRow, { committed_at }: Pick<IncidentRow, 'committed_at'>): AttemptRecord {
  const { number, started_at, duration_ms, outcome, detail, message_id, render_fault, render_ms, limiter_wait_ms } = row
  const { handed_out_at, connected_ms } = row
  return {
    number,
    started_at: iso(started_at),
    duration_ms,
    outcome,
    detail,
    message_id,
    may_duplicate: row.may_duplicate === 1,
    render_fault,
    committed_at: iso(committed_at),
    handed_out_at: isoOrNull(handed_out_at),
    queued_ms: handed_out_at === null ? null : Math.max(0, started_at - handed_out_at - render_ms - limiter_wait_ms),
    render_ms,
    limiter_wait_ms,
    connected_ms,
    confirmed_ms: duration_ms,
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))
const least = (numbers: readonly number[]) => (numbers.length === 0 ? null : Math.min(...numbers))
const greatest = (numbers: readonly number[]) => (numbers.length === 0 ? null : Math.max(...numbers))
