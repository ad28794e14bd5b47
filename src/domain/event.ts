import type { ChannelName } from './delivery.ts'
import type { Sender, Source, Status } from './incident.ts'

/**
 * What happened, as it is told to whoever watches. Times are ISO 8601, durations milliseconds; nothing secret and no
 * payload is in it. On the wire each has an `id` beside what is here.
 */
export type TailEvent = IncidentEvent | DeliveryEvent | OnCallEvent | AgentEvent | StatsEvent

export const EVENT_KINDS = ['incident', 'delivery', 'oncall', 'agent', 'stats'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** An incident is on disk. */
export interface IncidentEvent {
  readonly kind: 'incident'
  readonly at: string
  readonly incident: {
    readonly id: string
    readonly title: string
    readonly service: string
    readonly severity: string
    readonly status: Status
    readonly source: Source
    readonly sender: Sender
    readonly created_at: string
  }
}

/** An attempt is in the ledger. */
export interface DeliveryEvent {
  readonly kind: 'delivery'
  readonly at: string
  readonly incident_id: string
  readonly title: string
  readonly severity: string
  readonly channel: ChannelName
  /** Where the delivery stands after it; pending: it is tried again. */
  readonly state: 'sent' | 'pending' | 'dead'
  /** 1-based number of the attempt, those before a replay included. */
  readonly attempt: number
  readonly detail: string
  readonly next_attempt_at: string | null
  /** From the arrival of the incident to the provider's answer; null unless sent. */
  readonly accept_to_confirmed_ms: number | null
}

export interface OnCallEvent {
  readonly kind: 'oncall'
  readonly at: string
  readonly incident_id: string
  readonly title: string
  readonly severity: string
  readonly action: 'armed' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled'
  readonly by: string | null
  readonly detail: string
}

export interface AgentEvent {
  readonly kind: 'agent'
  readonly at: string
  /** `unknown`, `spike`, `analysis`, `mode` and others to come. */
  readonly action: string
  readonly detail: string
  readonly pattern_id: string | null
  readonly incident_id: string | null
}

/** Once a second while anybody watches. */
export interface StatsEvent {
  readonly kind: 'stats'
  readonly at: string
  /** The body of GET /api/admin/stats. */
  readonly stats: unknown
}

/** Where an actor says what happened, on its own thread; costs nothing while nobody watches, and never waits. */
export interface EventPublisher {
  /** False: nobody watches, so that the events need not even be made. True until it is known. */
  readonly hasSubscribers: boolean
  /** Leaves with the turn; what nobody wants is dropped, and what exceeds the bound is counted and told as missed. */
  publish(event: TailEvent): void
}
