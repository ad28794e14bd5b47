import type { ErrorCode } from '../../src/domain/errors.ts'

/**
 *     HTTP front, topic handler --submit, a call--> ingest --commit--> journal
 *                                                   ingest <-committed- journal
 *
 * - submit: `http.max_inflight` requests and 64 MiB, half of both for requests with a key. When full, the client is answered 503 ingest_full.
 * - commit: COMMIT_WINDOW, and as many again, sent to `keyed`, which is the journal too, for frames with idempotency
 *   keys: these hold their slots until storage has looked the keys up, and others do not wait for that. When full,
 *   ingest keeps its requests; then submit fills.
 * - committed: COMMIT_WINDOW.
 */

/** The requests that ingest took in one event-loop turn. */
export interface Commit {
  readonly kind: 'commit'
  /** Index of the sending front in `JournalBoot.fronts`; the reply goes there. */
  readonly front: number
  /** Unique among the batches of the front, across restarts of its thread. */
  readonly batch: number
  /**
   * As `encodeFrame` returns it; its buffer is transferred. Requests with an idempotency key are in frames of their own:
   * these wait until storage has looked the keys up.
   */
  readonly frame: Uint8Array<ArrayBuffer>
}

export interface Committed {
  readonly kind: 'committed'
  /** As in the `Commit`, like `batch`. */
  readonly front: number
  readonly batch: number
  /** Number of the first incident that was created, and the first 24 characters of the ids; the others count on. */
  readonly first: number
  readonly idPrefix: string
  /** Parallel to the requests; absent when all were created. */
  readonly results?: readonly RequestResult[]
}

export type RequestResult =
  /** Its incidents follow on those of the created request before it. */
  | { readonly kind: 'created' }
  /** `id`: first incident of the request that used the key. */
  | { readonly kind: 'duplicate'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode }

/**
 * Batches under way, of frames with and without keys each. One is being committed while the next ones wait; more would not make the disk faster, only the
 * batches smaller.
 */
export const COMMIT_WINDOW = 16
