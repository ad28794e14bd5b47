/** A JSON object as `JSON.parse` gives it. */
export type Payload = { [key: string]: unknown }

export const STATUSES = ['firing', 'resolved'] as const
export type Status = (typeof STATUSES)[number]

/** How an incident came in: POST /api/incidents, a topic message, the log agent. */
export const SOURCES = ['webhook', 'topic', 'agent'] as const
export type Source = (typeof SOURCES)[number]

/** Kinds of sender whose payload shape is recognised; `custom` is everything else. */
export const SENDERS = [
  'grouped_alerts',
  'dashboard_alerts',
  'error_tracker',
  'cloud_alarm',
  'log_forwarder',
  'agent',
  'custom',
] as const
export type Sender = (typeof SENDERS)[number]

/** What a payload says about itself, whatever its shape. Strings are single-line, trimmed and bounded; absent is ''. */
export interface Recognized {
  readonly sender: Sender
  /** At most 200 characters; never empty. */
  readonly title: string
  /** At most 100 characters. */
  readonly service: string
  /** The sender's own word in lower case (`critical`, `warning`, `error`, ...); at most 32 characters. */
  readonly severity: string
  readonly status: Status
  /** Same for a firing incident and its resolve; at most 255 characters (the shortest dedup key a pager takes). */
  readonly fingerprint: string
}

/** Per-request choices of POST /api/incidents; every name is one that the configuration lists. */
export interface Overrides {
  /** Channel name, or `incident_io`, to the name of one of its other destinations. */
  readonly targets?: { readonly [channel: string]: string }
  readonly oncallEnable?: boolean
  readonly oncallWaitMinutes?: number
  readonly pagerdutyRoutingKey?: string
}

/** `pending` while any delivery is unfinished, then `sent`, `partial` or `failed` by how they ended. */
export const NOTIFY_STATUSES = ['pending', 'sent', 'partial', 'failed'] as const
export type NotifyStatus = (typeof NOTIFY_STATUSES)[number]
