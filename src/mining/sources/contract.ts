/** Where reading goes on: the source's own plain JSON, kept beside what the lines before it came to. */
export type Cursor = { readonly [field: string]: string | number | boolean | readonly string[] }

/** One event as it was read: nothing has been masked yet. */
export interface RawEvent {
  /** At most `MAX_EVENT` characters; continuation lines follow after `\n`. */
  readonly text: string
  /** What the record's own labels say. */
  readonly service?: string
}

export interface Pulled {
  readonly events: readonly RawEvent[]
  /** After these events. */
  readonly cursor: Cursor
  /** There is more to be had at once. */
  readonly more: boolean
  /** Something an operator should know, such as lines that are gone for good. */
  readonly note?: string
}

/** One place that logs come from. It keeps no account of what it gave: the cursor does. */
export interface LogSource {
  /**
   * Events after the cursor, a bounded number; without one, where the source's options say to begin. Rejects with a CodedError
   * (`source_failed`) when it cannot be read now; asked again, it tries again. Never called twice at once.
   */
  pull(cursor: Cursor | undefined, signal: AbortSignal): Promise<Pulled>
  close(): Promise<void>
}

export interface SourceDeps {
  /** Epoch milliseconds. */
  now(): number
  /** Asks an address for JSON; rejects with a CodedError `source_failed` unless it is answered 200. */
  readonly query: Query
}

export type Query = (request: QueryRequest) => Promise<unknown>

export interface QueryRequest {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** What no fault may repeat. */
  readonly secrets: readonly string[]
  /** Sent as JSON by POST; absent: GET. */
  readonly json?: unknown
  readonly signal: AbortSignal
}

/** Longer events are cut; what is cut is gone. */
export const MAX_EVENT = 16_384
