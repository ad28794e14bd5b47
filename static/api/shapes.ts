/** What the service answers, as far as the pages read it. Times are ISO 8601, spans milliseconds. */

import type { AttemptRecord } from '../../src/api/attempt.ts'
import type { DeliveryDetail, DeliveryRecord } from '../../src/api/delivery.ts'
import type { IncidentDetail, IncidentRecord } from '../../src/api/incident.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'

export { CHANNEL_NAMES } from '../../src/domain/delivery.ts'
export type { ChannelName }

export type Incident = IncidentRecord
export type Attempt = AttemptRecord
export type { DeliveryDetail, IncidentDetail }
export type OnCall = NonNullable<IncidentDetail['oncall']>
export type DeadLetter = DeliveryRecord

export interface IncidentPage {
  readonly incidents: readonly Incident[]
  readonly total: number
  readonly next_cursor: string | null
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
  readonly templates: readonly {
    readonly channel: ChannelName
    readonly file: string
    readonly text: string
    readonly enabled: boolean
  }[]
  readonly samples: readonly { readonly name: string; readonly sender: string; readonly payload: unknown }[]
}

export interface Preview {
  readonly text: string
  readonly subject?: string
  readonly warnings: readonly string[]
}
