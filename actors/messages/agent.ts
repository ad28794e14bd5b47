import type { IntakeAnswer } from '../../src/http/contract.ts'
import type { SourceCursors } from '../../src/store/log-cursors.ts'

/**
 *     agent --raise----> ingest on main        agent --save-cursors, load-cursors--> cursors on the store thread
 *     agent <--raised--- ingest on main        agent <--------cursors-loaded-------- cursors on the store thread
 *
 * - raise, raised: RAISE_WINDOW. When raise is full, the incident stays in the agent's outbox and is offered again.
 * - save-cursors, load-cursors, cursors-loaded: CURSOR_WINDOW. Cursors that find no place are not sent: the next ones replace them.
 */

/** An incident of the agent. The key makes it one incident however often it is offered. */
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
  readonly answer: IntakeAnswer
}

/** Positions of the log sources, by name. Sent after the catalog with the lines before these positions was written. */
export interface SaveCursors {
  readonly kind: 'save-cursors'
  readonly cursors: SourceCursors
}

/** Asks for the cursors that were saved last. */
export interface LoadCursors {
  readonly kind: 'load-cursors'
}

export interface CursorsLoaded {
  readonly kind: 'cursors-loaded'
  readonly cursors: SourceCursors
}

export const RAISE_WINDOW = 8
export const CURSOR_WINDOW = 2
