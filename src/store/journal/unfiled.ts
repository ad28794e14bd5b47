import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { DamagedUnfiledEntry, UnfiledEntry } from './entry.ts'
import type { Payloads } from './payloads.ts'
import { readSubmissions } from './unfiled-codec.ts'

/** Entries of the journal that earlier versions kept in the database; nothing is added to it any more. */
export const JOURNAL = `
CREATE TABLE unfiled (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL
);
`

/** Incidents of one `read`, as far as they are in whole rows. */
const STEP = 128

export interface Unfiled {
  /** Returns the oldest entries; none when all are applied. In or outside of `write`. */
  read(): (UnfiledEntry | DamagedUnfiledEntry)[]
  /** Deletes the row and subtracts its incidents from the counts. Inside `write`. */
  remove(entry: UnfiledEntry | DamagedUnfiledEntry): void
}

interface Row {
  readonly first: number
  readonly committed_at: number
  readonly submissions: string
}

export function openUnfiled({ db, counts, channels }: StoreContext, payloads: Pick<Payloads, 'batchOf'>): Unfiled {
  const oldest = query<Row>(db, 'SELECT first, committed_at, submissions FROM unfiled ORDER BY first')
  const remove = command(db, 'DELETE FROM unfiled WHERE first = ?')
  return {
    read() {
      const entries: (UnfiledEntry | DamagedUnfiledEntry)[] = []
      let incidents = 0
      if (counts.unfiled.entries === 0) return entries
      for (const row of oldest.iterate()) {
        const entry = readRow(row, payloads)
        entries.push(entry)
        incidents += entry.last - entry.first + 1
        if (incidents >= STEP) break
      }
      return entries
    },
    remove({ first, last }) {
      remove.run(first)
      counts.unfiled.entries--
      counts.unfiled.incidents -= last - first + 1
      counts.unfiled.deliveries -= (last - first + 1) * channels.length
    },
  }
}

/**
 * Reads and checks a row of `unfiled` or `quarantine`: applying a damaged one would upset every count. When its payloads
 * are lost, the number of its incidents is too, and it counts as one.
 */
export function readRow(
  { first, committed_at: committedAt, submissions: text }: Row,
  payloads: Pick<Payloads, 'batchOf'>,
): UnfiledEntry | DamagedUnfiledEntry {
  const batch = payloads.batchOf(first)
  const last = batch.first === first ? batch.last : first
  try {
    if (batch.first !== first) throw new Error('the payloads are lost')
    const submissions = readSubmissions(text, batch.bytes)
    const incidents = submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)
    if (first + incidents - 1 !== last) throw new Error('the entry holds more or fewer incidents than were committed')
    return { kind: 'unfiled', first, last, committedAt, submissions }
  } catch (error) {
    return { kind: 'damaged unfiled', first, last, error: String(error) }
  }
}
