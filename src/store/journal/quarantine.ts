import { crc32 } from 'node:zlib'
import { cutFrame, readFrameHeader } from '../../domain/frame.ts'
import type { StoreContext } from '../engine/context.ts'
import { change, command, query } from '../engine/statement.ts'
import type { Quarantined, QuarantinedEntry, UnreadableEntry } from '../ports/journal.ts'
import type { DamagedUnfiledEntry, UnfiledEntry } from './entry.ts'
import type { Payloads } from './payloads.ts'
import { readRow } from './unfiled.ts'

/** Frames that could not be applied, with the error in `fault`. */
export const QUARANTINE = `
CREATE TABLE quarantine (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL,
  fault TEXT NOT NULL,
  last INTEGER,
  frame BLOB
);
`

/** Number of incidents of a row of `quarantine` or `unfiled`, joined with its payloads; 1 when those are lost. */
export const UNFILED_INCIDENTS = 'coalesce(contents.last - contents.first + 1, 1)'
export const QUARANTINED_INCIDENTS = `coalesce(quarantine.last - quarantine.first + 1, ${UNFILED_INCIDENTS})`

/**
 * Entries that cannot be applied, so that all others go on. They count against no quota, because they would never give
 * their share back. Changes inside `write`.
 */
export interface Quarantine {
  add(entry: UnreadableEntry): Quarantined
  /** Copies a row of `unfiled`, which the caller removes. */
  copyUnfiled(entry: DamagedUnfiledEntry): Quarantined
  remove(entry: QuarantinedEntry): void
  /** Returns each entry once that was here at the opening; undefined when none is left. */
  next(): QuarantinedEntry | undefined
  /** Reads a row of an earlier version. */
  read(entry: QuarantinedEntry): UnfiledEntry | DamagedUnfiledEntry | undefined
}

interface Row {
  readonly first: number
  readonly incidents: number
  readonly frame: Uint8Array | null
}

export function openQuarantine({ db, counts }: StoreContext, payloads: Pick<Payloads, 'batchOf'>): Quarantine {
  const insert = command(
    db,
    "INSERT INTO quarantine (first, last, committed_at, submissions, frame, fault) VALUES (?, ?, 0, '', ?, ?)",
  )
  const copy = command(
    db,
    'INSERT INTO quarantine (first, committed_at, submissions, fault) SELECT first, committed_at, submissions, ? FROM unfiled WHERE first = ?',
  )
  const forget = change(db, 'DELETE FROM quarantine WHERE first = ?')
  const held = query<Row>(
    db,
    `SELECT first, ${QUARANTINED_INCIDENTS} AS incidents, frame FROM quarantine LEFT JOIN contents USING (first) WHERE first = ?`,
  )
  const rowOf = query<{ first: number; committed_at: number; submissions: string }>(
    db,
    'SELECT first, committed_at, submissions FROM quarantine WHERE first = ? AND frame IS NULL',
  )
  const candidates = query<{ first: number }>(db, 'SELECT first FROM quarantine ORDER BY first')
    .all()
    .map(({ first }) => first)
  return {
    add({ first, last, frame, error }) {
      insert.run(first, last, partOf(frame, { first, last }), error)
      counts.quarantined += last - first + 1
      return { first, last, error }
    },
    copyUnfiled({ first, last, error }) {
      copy.run(error, first)
      counts.quarantined += last - first + 1
      return { first, last, error }
    },
    remove({ first, last }) {
      counts.quarantined -= forget.run(first) * (last - first + 1)
    },
    next() {
      for (let first = candidates.shift(); first !== undefined; first = candidates.shift()) {
        const row = held.get(first)
        if (row === undefined) continue
        const last = first + row.incidents - 1
        return row.frame === null ? { kind: 'rows', first, last } : { kind: 'frame', first, last, frame: row.frame }
      }
      return undefined
    },
    read({ first }) {
      const row = rowOf.get(first)
      return row && readRow(row, payloads)
    },
  }
}

/** Cuts the incidents out of a frame that holds others too. A frame whose columns are damaged is kept as it is. */
function partOf(frame: Uint8Array, numbers: { readonly first: number; readonly last: number }): Uint8Array {
  const header = readFrameHeader(frame)
  if (header === undefined || (numbers.first === header.first && numbers.last === header.first + header.incidents - 1))
    return frame
  try {
    return cutFrame(frame, numbers, crc32)
  } catch {
    return frame
  }
}
