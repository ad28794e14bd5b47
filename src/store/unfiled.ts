import type { Submission } from '../domain/commit.ts'
import { type PackedSubmissions, unpackSubmissions } from '../domain/packing.ts'
import type { Contents } from './contents.ts'
import { command, query } from './statement.ts'
import type { Tools } from './tools.ts'

/** Submissions that were committed together; their incidents are numbered from `first` on. */
export interface Batch {
  readonly first: number
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly submissions: readonly Submission[]
}

interface Row {
  readonly first: number
  readonly committed_at: number
  readonly submissions: string
}

interface Fresh {
  readonly first: number
  readonly committedAt: number
  readonly packed: Pick<PackedSubmissions, 'rows' | 'contents'>
}

/**
 * What is committed and not filed yet, oldest first. What is filed in the transaction that commits it never gets here on disk: `note` writes
 * down what is left.
 */
export interface Unfiled {
  add(fresh: Fresh): void
  /** The oldest, which is taken out. */
  take(): Batch | undefined
  /** At the end of every transaction. */
  note(): void
  /** The transaction was undone. */
  forget(): void
}

/** Committed and not filed, in the form they came in. */
export const UNFILED = `
CREATE TABLE unfiled (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL
);
`

export function openUnfiled({ db, tally }: Pick<Tools, 'db' | 'tally'>, contents: Pick<Contents, 'around'>): Unfiled {
  const insert = command(db, 'INSERT INTO unfiled (first, committed_at, submissions) VALUES (?, ?, ?)')
  const oldest = query<Row>(db, 'SELECT first, committed_at, submissions FROM unfiled ORDER BY first LIMIT 1')
  const remove = command(db, 'DELETE FROM unfiled WHERE first = ?')
  let fresh: Fresh[] = []

  function takeNoted(): Batch | undefined {
    const row = oldest.get()
    if (row === undefined) return undefined
    remove.run(row.first)
    tally.unfiled.noted--
    const submissions = unpackSubmissions({ rows: row.submissions, contents: contents.around(row.first) })
    return { first: row.first, committedAt: row.committed_at, submissions }
  }
  return {
    add: (batch) => void fresh.push(batch),
    take() {
      if (tally.unfiled.noted > 0) return takeNoted()
      const next = fresh.shift()
      return next && { ...next, submissions: unpackSubmissions(next.packed) }
    },
    note() {
      for (const { first, committedAt, packed } of fresh) insert.run(first, committedAt, packed.rows)
      tally.unfiled.noted += fresh.length
      fresh = []
    },
    forget() {
      fresh = []
    },
  }
}
