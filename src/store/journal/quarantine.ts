import { crc32 } from 'node:zlib'
import { cutFrame, readFrameHeader } from '../../domain/frame.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Quarantined, QuarantinedEntry, UnreadableEntry } from '../ports/journal.ts'

/**
 * Entries that cannot be applied, so that all others go on. They count against no quota, because they would never give
 * their share back. Changes inside `write`.
 */
export type Quarantine = ReturnType<typeof openQuarantine>

export function openQuarantine({ db, counts }: StoreContext) {
  const insert = db.command('INSERT INTO quarantine (first, last, frame, fault) VALUES (?, ?, ?, ?)')
  const forget = db.change('DELETE FROM quarantine WHERE first = ?')
  const held = db.query<{ first: number; last: number; frame: Uint8Array }>(
    'SELECT first, last, frame FROM quarantine WHERE first = ?',
  )
  const candidates = db
    .query<{ first: number }>('SELECT first FROM quarantine ORDER BY first')
    .all()
    .map(({ first }) => first)
  return {
    add({ first, last, frame, error }: UnreadableEntry): Quarantined {
      insert.run(first, last, partOf(frame, { first, last }), error)
      counts.quarantined += last - first + 1
      return { first, last, error }
    },
    remove({ first, last }: QuarantinedEntry): void {
      counts.quarantined -= forget.run(first) * (last - first + 1)
    },
    /** Returns each entry once that was here at the opening; undefined when none is left. */
    next(): QuarantinedEntry | undefined {
      for (let first = candidates.shift(); first !== undefined; first = candidates.shift()) {
        const row = held.get(first)
        if (row !== undefined) return row
      }
      return undefined
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
