import type { AnswerAction, AnswerResult, AnswerVia } from './answer.ts'
import type { ChannelName } from './delivery/delivery.ts'
import type { Sender, Source, Status } from './incident.ts'

/**
 * Events of the live tail. Times are ISO 8601, durations milliseconds. No event holds a secret or a payload. On the
 * wire each also has an `id`.
 */
export type TailEvent =
  | IncidentEvent
  | DeliveryEvent
  | OnCallEvent
  | DigestEvent
  | SilenceEvent
  | AnswerEvent
  | AgentEvent
  | StatsEvent

export const EVENT_KINDS = ['incident', 'delivery', 'oncall', 'digest', 'silence', 'answer', 'agent', 'stats'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** An incident was committed. */
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

/** An attempt was recorded. */
export interface DeliveryEvent {
  readonly kind: 'delivery'
  readonly at: string
  readonly incident_id: string
  readonly title: string
  readonly severity: string
  readonly channel: ChannelName
  /** Name of the destination; null for the default one. */
  readonly target: string | null
  /** State after the attempt; pending: it will be repeated. */
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
  readonly action: 'armed' | 'paged' | 'failed' | 'acknowledged' | 'resolved' | 'cancelled' | 'held'
  readonly by: string | null
  readonly detail: string
}

/** A storm opened a digest, an update of it was sent, or the storm is over. */
export interface DigestEvent {
  readonly kind: 'digest'
  readonly at: string
  readonly digest: number
  readonly channel: ChannelName
  /** Name of the destination; null for the default one. */
  readonly target: string | null
  /** `dead`: the provider refused the digest for good. */
  readonly action: 'opened' | 'updated' | 'over' | 'dead'
  /** Number of the update; null unless `updated`, as `way`. */
  readonly update: number | null
  /** `post` is a new message; `edit` changes the last one. */
  readonly way: 'post' | 'edit' | null
  /** Incidents with a place in the digest, and those that a sent update covers. */
  readonly incidents: number
  readonly notified: number
}

/** A window of a silence began or ended. */
export interface SilenceEvent {
  readonly kind: 'silence'
  readonly at: string
  readonly silence: number
  readonly name: string
  readonly action: 'began' | 'ended'
  /** Conditions in words, or what it held. */
  readonly detail: string
}

/** A person acted on a message. */
export interface AnswerEvent {
  readonly kind: 'answer'
  readonly at: string
  readonly action: AnswerAction
  readonly result: AnswerResult
  readonly via: AnswerVia
  /** Name of the person. */
  readonly by: string
  readonly problem: number | null
  readonly title: string | null
  readonly incident_id: string | null
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

/** Sent once a second while a client is subscribed. */
export interface StatsEvent {
  readonly kind: 'stats'
  readonly at: string
  /** The body of GET /api/admin/stats. */
  readonly stats: unknown
}

/** Publishes events of the actors on one thread. Costs nothing without subscribers, and never waits. */
export interface EventPublisher {
  /** False: no client subscribes, so events need not be built. True until the tail hub has reported. */
  readonly hasSubscribers: boolean
  /**
   * Sends the event with the turn. Events that match no filter are dropped; those beyond the bound are counted as
   * missed.
   */
  publish(event: TailEvent): void
}
