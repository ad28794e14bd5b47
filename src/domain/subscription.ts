import type { EventFilter } from './event-filter.ts'

/** The live tail, as connections use it. */
export interface Tail {
  /** Sends `hello` at once. */
  join(client: TailClient, request: JoinRequest): Subscription
}

/** The request of a client that joins the live tail. */
export interface JoinRequest {
  readonly filter: EventFilter
  /** Id of the last event that an earlier connection was sent: the events since then are sent first. */
  readonly after?: string
  /** Without `after`: up to this number of the latest kept events are sent first. */
  readonly newest?: number
}

/** A client's membership in the live tail. */
export interface Subscription {
  /** Takes effect with the next event. */
  refilter(filter: EventFilter): void
  /** Called when the connection has written some of its buffer. */
  drained(): void
  leave(): void
}

/** too_slow: it reads too slowly. leader_changed: another replica publishes now, or none. */
export type DisconnectReason = 'too_slow' | 'leader_changed'

/** A client's connection, as the live tail sees it. */
export interface TailClient {
  /** Bytes that the connection holds because the client has not read. */
  readonly buffered: number
  send(text: string): void
  /** Subscribes the connection to messages published under the topic. */
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Closes the connection; the client is told the reason, and may connect again. */
  disconnect(reason: DisconnectReason): void
}

/**
 * First message to a client. `missed`: number of events after `after` that are not kept any more. Ids are
 * `<server_id>-<number>`.
 */
export interface Hello {
  readonly kind: 'hello'
  readonly server_id: string
  readonly last_id: string
  /** True: the events since `after` follow. False: `after` is unknown here, so events may be missing. */
  readonly resumed: boolean
  readonly missed: number
}

/** Number of events of all kinds with subscribers that were not kept, so that they cannot be sent. */
export interface Missed {
  readonly kind: 'missed'
  readonly id: string
  readonly count: number
}
