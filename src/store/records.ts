import type { ChannelName, DeliveryState, Outcome } from '../domain/delivery.ts'
import type { NotifyStatus, Sender, Source, Status } from '../domain/incident.ts'

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
  readonly render_ms: number
  readonly limiter_wait_ms: number
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
  readonly stages: {
    readonly received_at: string
    readonly committed_at: string
    readonly first_attempt_at: string | null
    /** End of the attempt that finished the last delivery; null while any is unfinished. */
    readonly notified_at: string | null
  }
  readonly deliveries: DeliveryDetail[]
}
