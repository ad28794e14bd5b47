import type { CommitResult } from '../../src/domain/commit.ts'
import type { Source } from '../../src/domain/incident.ts'
import type { Intake, IntakeAnswer } from '../../src/http/contract.ts'
import type { PackedSubmissions } from '../../src/store/journal/codec.ts'

/**
 *     HTTP front, topic handler --accept--> ingest --commit--> storage
 *                                           ingest <-committed- storage
 *
 * - accept: `http.max_inflight` requests and 64 MiB. When full, the client is answered 503 ingest_full.
 * - commit: COMMIT_WINDOW. When full, ingest keeps its requests; then accept fills.
 * - committed: COMMIT_WINDOW.
 */

/** One request: all its documents are committed together, or none is. */
export interface Accept extends Intake {
  readonly kind: 'accept'
  readonly source: Source
  /** Called exactly once, after the commit or the refusal. */
  readonly answer: (answer: IntakeAnswer) => void
}

/** The requests that ingest took in one event-loop turn. The buffers of the payloads are transferred. */
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
  /** Parallel to the submissions; absent when all were created. */
  readonly results?: readonly CommitResult[]
}

/**
 * Batches under way. One is being committed while the next ones wait; more would not make the disk faster, only the
 * batches smaller.
 */
export const COMMIT_WINDOW = 16
