/**
 *     journal --appended, lookup--> storage
 *     journal <-------found-------- storage
 *
 * - appended: APPENDED_WINDOW. Storage frees the slot before it looks how far the journal is. While it holds the slot,
 *   the journal announces nothing: storage will see what was committed meanwhile. The frames themselves are in the
 *   segment files, which storage reads.
 * - lookup, sent to `lookups`, which is storage too: one at a time, so there is always room in LOOKUP_WINDOW; requests
 *   with idempotency keys wait in the journal meanwhile.
 * - found: LOOKUP_WINDOW.
 */

/** Frames were committed. */
export interface Appended {
  readonly kind: 'appended'
}

/** Asks for idempotency keys of applied incidents. */
export interface Lookup {
  readonly kind: 'lookup'
  /** Unlike that of any other lookup, those of earlier journal threads included. */
  readonly lookup: number
  readonly keys: readonly string[]
}

/**
 * Parallel to the keys: id of the first incident of the request that used the key within 24 h; null: none. Undefined: the
 * database cannot be read, so the requests are to be refused with `storage_down`.
 */
export interface Found {
  readonly kind: 'found'
  /** As in the `Lookup`. An answer to another one is ignored: its journal thread has died. */
  readonly lookup: number
  readonly ids: readonly (string | null)[] | undefined
}

export type JournalToStorage = Appended | Lookup

export const APPENDED_WINDOW = 1
/** One is under way; the credit of the one before may still be on its way back. */
export const LOOKUP_WINDOW = 2
