import type { EventFilter } from './event-filter.ts'

/** The live tail, as connections of its clients see it. */
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

/** A client's place among those that watch, from its joining to its leaving. */
export interface Subscription {
  /** Takes effect with the next event. */
  refilter(filter: EventFilter): void
  /** The connection has written some of what it holds. */
  drained(): void
  leave(): void
}

/** A client's connection, as the live tail sees it. */
export interface TailClient {
  /** Bytes that the connection holds because the client has not read. */
  readonly buffered: number
  send(text: string): void
  /** From now on it is sent what is published under the topic. */
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Ends it: it reads too slowly or not at all. */
  disconnect(): void
}

/**
 * First message to a client. `missed`: so many of those after `after` are not there any more. Ids are
 * `<server_id>-<number>`.
 */
export interface Hello {
  readonly kind: 'hello'
  readonly server_id: string
  readonly last_id: string
  /** True: what happened since `after` follows. False: nobody can say what happened since. */
  readonly resumed: boolean
  readonly missed: number
}

/** So many events, of all kinds that anybody watched, happened here and are not there to be sent. */
export interface Missed {
  readonly kind: 'missed'
  readonly id: string
  readonly count: number
}
