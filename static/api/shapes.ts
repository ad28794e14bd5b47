/** What the service answers, as far as the pages read it. Times are ISO 8601, spans milliseconds. */
import type { ChannelName, DeliveryState } from '../../src/domain/delivery.ts'

export { CHANNEL_NAMES } from '../../src/domain/delivery.ts'
export type { ChannelName, DeliveryState }

export type Status = 'firing' | 'resolved'
export type NotifyStatus = 'pending' | 'sent' | 'partial' | 'failed'

export interface Incident {
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly source: string
  readonly sender: string
  readonly fingerprint: string
  readonly created_at: string
  readonly acked_at: string | null
  readonly acked_by: string | null
  readonly resolved_at: string | null
  readonly channels_enabled: readonly ChannelName[]
  readonly channels_notified: readonly ChannelName[]
  readonly notify_status: NotifyStatus
  readonly notify_error: string | null
  readonly oncall_triggered: boolean
  readonly oncall_error: string | null
}

export interface IncidentPage {
  readonly incidents: readonly Incident[]
  readonly total: number
  readonly next_cursor: string | null
}

export interface Attempt {
  readonly number: number
  readonly started_at: string
  readonly duration_ms: number
  readonly outcome: string
  readonly detail: string
  readonly message_id: string | null
  readonly may_duplicate: boolean
  readonly render_fault: string | null
  readonly render_ms: number
  readonly limiter_wait_ms: number
  readonly committed_at?: string | null
  readonly handed_out_at?: string | null
  readonly connected_ms?: number | null
  readonly confirmed_ms?: number | null
}

export interface Delivery {
  readonly channel: ChannelName
  readonly state: DeliveryState
  readonly next_attempt_at: string | null
  readonly target: string | null
  readonly may_duplicate: boolean
  readonly message_id: string | null
  readonly dead_reason: string | null
}

export interface DeliveryDetail extends Delivery {
  readonly attempts: readonly Attempt[]
  readonly text: string | null
}

export interface OnCall {
  readonly state: string
  readonly due_at: string | null
  readonly provider: string
  readonly dedup_key: string | null
  readonly paged_at: string | null
  readonly late_ms: number | null
  readonly attempts: readonly Attempt[]
}

export interface IncidentDetail extends Incident {
  readonly content: unknown
  readonly stages: {
    readonly received_at: string
    readonly committed_at: string
    readonly first_attempt_at: string | null
    readonly notified_at: string | null
  }
  readonly deliveries: readonly DeliveryDetail[]
  readonly oncall?: OnCall | null
}

export interface DeadLetter extends Delivery {
  readonly incident_id: string
  readonly title: string
  readonly attempts: number
}

export interface DeliveryPage {
  readonly deliveries: readonly DeadLetter[]
  readonly next_cursor: string | null
}

export interface Channel {
  readonly name: ChannelName
  readonly enabled: boolean
  readonly paused: boolean
  readonly mailbox: { readonly depth: number; readonly capacity: number }
  readonly sending: number
  readonly concurrency: number
  readonly rate: { readonly per_second: number; readonly burst: number }
  readonly circuit: readonly {
    readonly destination: string
    readonly state: 'closed' | 'open' | 'half_open'
    readonly retry_at: string | null
  }[]
  readonly backlog: {
    readonly pending: number
    readonly sending: number
    readonly oldest_pending_at: string | null
    readonly oldest_pending_age_ms: number | null
  }
  readonly counters: {
    readonly sent: number
    readonly retried: number
    readonly dead: number
    readonly rendered_plain: number
  }
  readonly last_sent_at: string | null
  readonly last_error: { readonly at: string; readonly detail: string; readonly incident_id: string | null } | null
  readonly dead: number
  readonly targets: readonly string[]
  readonly limits: { readonly max: number; readonly unit: string }
}

export interface ConfigAnswer {
  readonly config: unknown
  readonly origins: { readonly [path: string]: string }
  readonly warnings: readonly string[]
}

export interface Templates {
  readonly templates: readonly { readonly channel: ChannelName; readonly file: string; readonly text: string }[]
  readonly samples: readonly { readonly name: string; readonly sender: string; readonly payload: unknown }[]
}

export interface Preview {
  readonly text: string
  readonly subject?: string
  readonly warnings: readonly string[]
}
