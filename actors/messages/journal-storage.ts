/**
 *     journal --entries, lookup--> storage
 *     journal <------found-------- storage
 *
 * - entries: ENTRIES_WINDOW messages of at most MAX_ENTRIES_BYTES. Storage frees the slot when the frames are applied.
 *   When full, or when a frame is larger, the frames are not passed on: storage reads them from the segment files when
 *   it has applied everything before. A `more` is sent when all slots are free again, so that none stays unnoticed.
 * - lookup, sent to `lookups`, which is storage too: one at a time, so there is always room in LOOKUP_WINDOW; requests
 *   with idempotency keys wait in the journal meanwhile.
 * - found: LOOKUP_WINDOW.
 */

/** Frames that are on disk, in order and without gaps between them. Their buffers are transferred. */
export interface Entries {
  readonly kind: 'entries'
  readonly frames: readonly Uint8Array<ArrayBuffer>[]
}

/** Frames were committed that were not passed on. */
export interface MoreEntries {
  readonly kind: 'more'
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

export type JournalToStorage = Entries | MoreEntries | Lookup

export const ENTRIES_WINDOW = 16
export const MAX_ENTRIES_BYTES = 1024 * 1024
/** One is under way; the credit of the one before may still be on its way back. */
export const LOOKUP_WINDOW = 2
