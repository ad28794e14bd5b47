import type { Submission } from '../../domain/commit.ts'
import { CodedError } from '../../domain/errors.ts'
import type { Tools } from '../engine/context.ts'
import { coded } from '../engine/errors.ts'
import { command, query } from '../engine/statement.ts'
import { type PackedSubmissions, unpackSubmissions } from './codec.ts'
import type { Contents } from './payloads.ts'

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

/** A fault of the program or of what it read, never of the disk, while a batch was filed. */
export class Unfilable extends Error {
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
export interface Unfiled {
  add(fresh: Fresh): void
  /** Takes out the oldest and has it filed; undefined: there is none. What `file` throws comes out as `Unfilable`, unless it is the disk's. */
  next<T>(file: (batch: Batch) => T): T | undefined
  /** For as long as `work` runs there is none. */
  still<T>(work: () => T): T
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
  let state: 'moving' | 'still' = 'moving'

  function takeNoted(row: Row): Batch {
    remove.run(row.first)
    tally.unfiled.noted--
    return batchOf(row, contents)
  }
  function takeFresh(): Batch | undefined {
    const next = fresh.shift()
    return next && { ...next, submissions: unpackSubmissions(next.packed) }
  }
  return {
    add: (batch) => void fresh.push(batch),
    next(file) {
      if (state === 'still') return undefined
      const row = tally.unfiled.noted > 0 ? oldest.get() : undefined
      try {
        const batch = row === undefined ? takeFresh() : takeNoted(row)
        return batch && file(batch)
      } catch (error) {
        throw coded(error) instanceof CodedError ? error : new Unfilable(row?.first, error)
      }
    },
    still(work) {
      state = 'still'
      try {
        return work()
      } finally {
        state = 'moving'
      }
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

/** A row that is not whole would upset every count. */
function batchOf({ first, committed_at, submissions: rows }: Row, contents: Pick<Contents, 'around'>): Batch {
  const kept = contents.around(first)
  const submissions = unpackSubmissions({ rows, contents: kept.bytes })
  const incidents = submissions.reduce((sum, { drafts }) => sum + drafts.length, 0)
  if (first + incidents - 1 !== kept.last) throw new Error('it holds more or fewer incidents than were committed')
  return { first, committedAt: committed_at, submissions }
}
