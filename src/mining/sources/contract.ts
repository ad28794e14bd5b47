/**
 * Position in a log source, as plain JSON. Stored together with the patterns that were learned from the lines before
 * it.
 */
export type Cursor = { readonly [field: string]: string | number | boolean | readonly string[] }

/** One event as read, not redacted yet. */
export interface RawEvent {
  /** At most `MAX_EVENT` characters; continuation lines follow after `\n`. */
  readonly text: string
  /** Service named by the record's labels or fields. */
  readonly service?: string
}

export interface Pulled {
  readonly events: readonly RawEvent[]
  /** Position after these events. */
  readonly cursor: Cursor
  /** More events can be read at once. */
  readonly more: boolean
  /** Message for the operator, for example about lost lines. */
  readonly note?: string
}

/** One source of logs. It keeps no position; the caller passes the cursor. */
export interface LogSource {
  /**
   * Reads a bounded number of events after the cursor; without a cursor, from where the source's options say. Rejects
   * with source_failed when the source cannot be read; a later call tries again. Calls do not overlap.
   */
  pull(cursor: Cursor | undefined, signal: AbortSignal): Promise<Pulled>
  /** Closes what it keeps open. */
  close?(): Promise<void>
}

export interface SourceDeps {
  /** Epoch milliseconds. */
  now(): number
  /** Sends an HTTP request and returns the JSON of the answer. Rejects with source_failed unless the status is 200. */
  readonly query: Query
}

export type Query = (request: QueryRequest) => Promise<unknown>

export interface QueryRequest {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** Removed from error messages. */
  readonly secrets: readonly string[]
  /** Body of a POST request, sent as JSON; GET when absent. */
  readonly json?: unknown
  readonly signal: AbortSignal
}

/** Maximum length of an event in characters; the rest is dropped. */
export const MAX_EVENT = 16_384
