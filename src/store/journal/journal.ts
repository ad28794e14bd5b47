import type { Submission } from '../../domain/commit.ts'
import { CodedError } from '../../domain/errors.ts'
import type { StoreContext } from '../engine/context.ts'
import { toCodedError } from '../engine/errors.ts'
import { command, query } from '../engine/statement.ts'
import { type PackedSubmissions, unpackSubmissions } from './codec.ts'
import type { Payloads } from './payloads.ts'

/** One batch of submissions; its incidents are numbered from `first` on. */
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

/** A bug or a damaged row that shows while an entry is applied; never a failure of the disk. */
export class ApplyError extends Error {
  /** Key of its row; undefined: the entry was appended in the failed transaction, so it is not on disk. */
  readonly first: number | undefined
  constructor(first: number | undefined, cause: unknown) {
    super(String(cause), { cause })
    this.first = first
  }
}

/**
 * Entries that are committed and not applied, oldest first. An entry that is applied in the transaction that appends it
 * is never written to the table; `flush` writes the others. States: running, suspended (nothing is applied while a
 * transaction is repeated). Inside `write`.
 */
export interface Journal {
  add(entry: NewEntry): void
  /**
   * Removes the oldest entry and applies it. Returns undefined when there is none or while suspended. Throws
   * `ApplyError` for what `apply` throws, except failures of the disk.
   */
  next<T>(apply: (entry: JournalEntry) => T): T | undefined
  /** Suspends applying while `work` runs. */
  suspend<T>(work: () => T): T
  /** Writes buffered entries to the table. Called at the end of every transaction. */
  flush(): void
  /** Drops buffered entries, because their transaction was undone. */
  rollback(): void
}

/** Journal entries in the form they arrived in. */
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

/** Reads and checks an entry. A damaged one throws: applying it would upset every count. */
function entryOf(
  { first, committed_at, submissions: rows }: JournalRow,
  payloads: Pick<Payloads, 'batchOf'>,
): JournalEntry {
  const batch = payloads.batchOf(first)
  const submissions = unpackSubmissions({ rows, contents: batch.bytes })
  const incidents = submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)
  if (first + incidents - 1 !== batch.last)
    throw new Error('the entry holds more or fewer incidents than were committed')
  return { first, committedAt: committed_at, submissions }
}
