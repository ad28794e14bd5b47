import type { CommitResult } from '../../src/domain/commit.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Overrides, Payload, Source } from '../../src/domain/incident.ts'
import type { TopicOrigin } from '../../src/domain/topic.ts'
import type { PackedSubmissions } from '../../src/store/journal/codec.ts'

/** Bytes of one JSON object and what `JSON.parse` made of it. */
interface Document {
  readonly payload: Payload
  readonly bytes: Uint8Array
}

/** One request: all its documents are committed together or none is. `answer` is called exactly once, after the commit. */
export interface Accept {
  readonly kind: 'accept'
  readonly documents: readonly Document[]
  readonly source: Source
  /** Epoch milliseconds. */
  readonly receivedAt: number
  readonly key?: string
  readonly overrides?: Overrides
  /** Of a topic message. */
  readonly origin?: TopicOrigin
  readonly answer: (answer: AcceptAnswer) => void
}

export type AcceptAnswer =
  | { readonly kind: 'created'; readonly id: string }
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/** All that ingest took in one event-loop turn; the buffers of the contents are transferred. */
export interface Commit {
  readonly kind: 'commit'
  /** Index of the sending front in `StoreBoot.fronts`; the reply goes there. */
  readonly front: number
  /** Unique among the batches of the front, across restarts of its thread. */
  readonly batch: number
  readonly submissions: readonly PackedSubmissions[]
}

export interface Committed {
  readonly kind: 'committed'
  /** As in the `Commit`, like `batch`. */
  readonly front: number
  readonly batch: number
  /** Parallel to the submissions; absent when every one was created. */
  readonly results?: readonly CommitResult[]
}

/**
 * Batches that ingest may have under way to storage; also the replies that may be on their way back. One is being committed, the next ones
 * wait: more would not make the disk faster, only the batches smaller.
 */
export const COMMIT_WINDOW = 16
