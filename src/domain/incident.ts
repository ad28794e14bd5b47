import type { TopicOrigin } from './topic.ts'

/** A JSON object as `JSON.parse` gives it. */
export type Payload = { [key: string]: unknown }

/** Format of a body. `json`: an object, or an array of objects. `ndjson`: lines of one object each. */
export type BodyFormat = 'json' | 'ndjson'

export const STATUSES = ['firing', 'resolved'] as const
export type Status = (typeof STATUSES)[number]

/**
 * Ways in: POST /api/incidents, a topic message, the log agent, a heartbeat that is missing, and the doors in the shape
 * of Alertmanager's, PagerDuty's and Opsgenie's API.
 */
export const SOURCES = ['webhook', 'topic', 'agent', 'heartbeat', 'alertmanager', 'pagerduty', 'opsgenie'] as const
export type Source = (typeof SOURCES)[number]

/** Kinds of sender by payload shape; `custom`: none of the known ones. */
export const SENDERS = [
  'grouped_alerts',
  'dashboard_alerts',
  'error_tracker',
  'cloud_alarm',
  'log_forwarder',
  'pagerduty_event',
  'opsgenie_alert',
  'agent',
  'custom',
] as const
export type Sender = (typeof SENDERS)[number]

/** Fields that are recognised in a payload of any shape. Texts are single-line, trimmed and bounded; '' when absent. */
export interface Recognized {
  readonly sender: Sender
  /** At most 200 characters; never empty. */
  readonly title: string
  /** At most 100 characters. */
  readonly service: string
  /** The sender's own term in lower case (`critical`, `warning`, `error`, ...); at most 32 characters. */
  readonly severity: string
  readonly status: Status
  /** Equal for a firing incident and its resolution; at most 255 characters (the shortest dedup key a pager takes). */
  readonly fingerprint: string
  /** When its alerts began or ceased to fire, by the clock of the sender, epoch milliseconds; absent: unknown. */
  readonly changedAt?: number
  /** Fingerprints of the firing alerts of a group, at most 64; absent: unknown, or no group. */
  readonly members?: readonly string[]
}

/** Choices of one POST /api/incidents, as far as the configuration allows them. */
export interface Overrides {
  /**
   * Maps a channel, or `incident_io`, to the name of one of its destinations, or to an id (`idTarget`); null: the default
   * destination.
   */
  readonly targets?: { readonly [channel: string]: string | null }
  readonly oncallEnable?: boolean
  readonly oncallWaitMinutes?: number
  readonly pagerdutyRoutingKey?: string
  /** Parameters that have no effect, each with the reason, for the sender and for operators. */
  readonly warnings?: readonly string[]
}

/**
 * `pending` while a delivery is unfinished, then `sent`, `partial` or `failed` by the states of all; `nobody`: a route
 * sends no message; `silenced`: no message was sent because of a silence.
 */
export const NOTIFY_STATUSES = ['pending', 'sent', 'partial', 'failed', 'nobody', 'silenced'] as const
export type NotifyStatus = (typeof NOTIFY_STATUSES)[number]

/** An incident between recognition and its row in the database. */
export interface Draft extends Recognized {
  /** UUIDv7. */
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds of arrival. */
  readonly createdAt: number
  /** The JSON object as it arrived, UTF-8. */
  readonly content: Uint8Array
}

/** One request: all its incidents are committed, or none. */
export interface Submission {
  readonly drafts: readonly Draft[]
  /** Idempotency-Key; a submission with a key used within 24 h is a duplicate and commits nothing. */
  readonly key?: string
  readonly overrides?: Overrides
  /** Origin of a topic message; stored with its first incident. */
  readonly origin?: TopicOrigin
}
