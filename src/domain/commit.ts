import type { Overrides, Recognized, Source } from './incident.ts'
import type { TopicOrigin } from './topic.ts'

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
