import type { Submission } from '../../domain/commit.ts'
import { CodedError } from '../../domain/errors.ts'
import type { StoreContext } from '../engine/context.ts'
import { toCodedError } from '../engine/errors.ts'
import { command, query } from '../engine/statement.ts'
import { type PackedSubmissions, unpackSubmissions } from './codec.ts'
import type { Payloads } from './payloads.ts'

/** Submissions that were committed together; their incidents are numbered from `first` on. */
export interface JournalEntry {
  readonly first: number
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly submissions: readonly Submission[]
}

interface JournalRow {
  readonly first: number
  readonly committed_at: number
  readonly submissions: string
}

interface NewEntry {
  readonly first: number
  readonly committedAt: number
  readonly packed: Pick<PackedSubmissions, 'rows' | 'contents'>
}

/** A fault of the program or of what it read, never of the disk, while a batch was filed. */
export class ApplyError extends Error {
  /** Of its row; undefined: it is of the transaction that failed, and so not on disk. */
  readonly first: number | undefined
  constructor(first: number | undefined, cause: unknown) {
    super(String(cause), { cause })
    this.first = first
  }
}

/**
 * What is committed and not filed yet, oldest first. What is filed in the transaction that commits it never gets here on disk: `note` writes
 * down what is left.
 */
export interface Journal {
  add(entry: NewEntry): void
  /** Takes out the oldest and has it filed; undefined: there is none. What `file` throws comes out as `Unfilable`, unless it is the disk's. */
  next<T>(apply: (entry: JournalEntry) => T): T | undefined
  /** For as long as `work` runs there is none. */
  suspend<T>(work: () => T): T
  /** At the end of every transaction. */
  flush(): void
  /** The transaction was undone. */
  rollback(): void
}

/** Committed and not filed, in the form they came in. */
export const JOURNAL = `
CREATE TABLE unfiled (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL
);
`

export function openJournal(
  { db, counts }: Pick<StoreContext, 'db' | 'counts'>,
  payloads: Pick<Payloads, 'batchOf'>,
): Journal {
  const insert = command(db, 'INSERT INTO unfiled (first, committed_at, submissions) VALUES (?, ?, ?)')
  const oldest = query<JournalRow>(db, 'SELECT first, committed_at, submissions FROM unfiled ORDER BY first LIMIT 1')
  const remove = command(db, 'DELETE FROM unfiled WHERE first = ?')
  let buffered: NewEntry[] = []
  let state: 'running' | 'suspended' = 'running'

  function takeFlushed(row: JournalRow): JournalEntry {
    remove.run(row.first)
    counts.journal.flushed--
    return entryOf(row, payloads)
  }
  function takeBuffered(): JournalEntry | undefined {
    const next = buffered.shift()
    return next && { ...next, submissions: unpackSubmissions(next.packed) }
  }
  return {
    add: (entry) => void buffered.push(entry),
    next(apply) {
      if (state === 'suspended') return undefined
      const row = counts.journal.flushed > 0 ? oldest.get() : undefined
      try {
        const batch = row === undefined ? takeBuffered() : takeFlushed(row)
        return batch && apply(batch)
      } catch (error) {
        throw toCodedError(error) instanceof CodedError ? error : new ApplyError(row?.first, error)
      }
    },
    suspend(work) {
      state = 'suspended'
      try {
        return work()
      } finally {
        state = 'running'
      }
    },
    flush() {
      for (const { first, committedAt, packed } of buffered) insert.run(first, committedAt, packed.rows)
      counts.journal.flushed += buffered.length
      buffered = []
    },
    rollback() {
      buffered = []
    },
  }
}

/** A row that is not whole would upset every count. */
function entryOf(
  { first, committed_at, submissions: rows }: JournalRow,
  payloads: Pick<Payloads, 'batchOf'>,
): JournalEntry {
  const batch = payloads.batchOf(first)
  const submissions = unpackSubmissions({ rows, contents: batch.bytes })
  const incidents = submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)
  if (first + incidents - 1 !== batch.last) throw new Error('it holds more or fewer incidents than were committed')
  return { first, committedAt: committed_at, submissions }
}
