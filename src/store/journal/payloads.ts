import type { DatabaseSync } from 'node:sqlite'
import { command, query } from '../engine/statement.ts'

/**
 * Payloads as they were sent. What was committed together lies in one row: incidents say where in it theirs begins. It never changes, so that a
 * change of status never rewrites a payload.
 */
export interface Payloads {
  /** Of the incidents numbered `first` to `last`. */
  write(numbers: Range, bytes: Uint8Array): void
  /** All that was committed together with the incident; of other numbers: nothing is stored of it. */
  batchOf(seq: number): PayloadBatch
  /** A view of what was committed together. */
  of(slice: PayloadSlice): Uint8Array
  /** After incidents of these numbers were deleted: what no incident needs any more goes. */
  prune(numbers: Range): void
  /** A transaction was undone: its numbers are given anew. */
  rollback(): void
}

interface Range {
  readonly first: number
  readonly last: number
}

interface PayloadBatch extends Range {
  readonly bytes: Uint8Array
}

/** Columns of `incidents`. */
export interface PayloadSlice {
  readonly seq: number
  readonly content_start: number
  readonly content_bytes: number
}

/** Of incidents; see `ContentPlace`. */
export const PAYLOAD_SLICE = 'content_start, content_bytes'

const NONE: PayloadBatch = { first: 0, last: -1, bytes: new Uint8Array(0) }

export function openPayloads(db: DatabaseSync): Payloads {
  const insert = command(db, 'INSERT INTO contents (first, last, bytes) VALUES (?, ?, ?)')
  const find = query<PayloadBatch>(
    db,
    'SELECT first, last, bytes FROM contents WHERE first <= ? ORDER BY first DESC LIMIT 1',
  )
  const prune = command(
    db,
    `DELETE FROM contents WHERE first >= coalesce((SELECT max(first) FROM contents WHERE first <= ?1), 0) AND first <= ?2 AND last >= ?1
       AND NOT EXISTS (SELECT 1 FROM incidents WHERE seq BETWEEN contents.first AND contents.last)`,
  )
  /** Incidents are read in the order of their numbers, by and large. */
  let cached = NONE

  function batchOf(seq: number): PayloadBatch {
    if (seq < cached.first || seq > cached.last) cached = find.get(seq) ?? NONE
    return seq <= cached.last ? cached : NONE
  }
  return {
    write: ({ first, last }, bytes) => void insert.run(first, last, bytes),
    batchOf,
    of: ({ seq, content_start, content_bytes }) =>
      batchOf(seq).bytes.subarray(content_start, content_start + content_bytes),
    prune: ({ first, last }) => void prune.run(first, last),
    rollback() {
      cached = NONE
    },
  }
}
