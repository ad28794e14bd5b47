import type { SourceCursors } from '../../src/store/ports/cursors.ts'
import type { AcceptAnswer } from './ingest-storage.ts'

/** An incident of the agent's own, offered and not waited for. The key makes it one however often it is offered. */
export interface Raise {
  readonly kind: 'raise'
  readonly key: string
  /** JSON of one object. */
  readonly content: Uint8Array
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

export interface Raised {
  readonly kind: 'raised'
  readonly key: string
  readonly answer: AcceptAnswer
}

/** Where the log sources go on, by name: told after the catalog that has the lines before. */
export interface SaveCursors {
  readonly kind: 'remember'
  readonly cursors: SourceCursors
}

/** Answered with what was remembered last. */
export interface LoadCursors {
  readonly kind: 'recall'
}

export interface CursorsLoaded {
  readonly kind: 'recalled'
  readonly cursors: SourceCursors
}

/** Incidents of the agent that may be under way to ingest, and answers on their way back. */
export const RAISE_WINDOW = 8

/** Cursors under way to the store, and back: the next ones replace them. */
export const CURSOR_WINDOW = 2
