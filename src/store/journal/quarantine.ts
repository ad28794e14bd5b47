import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Quarantined } from '../ports/journal.ts'
import type { ApplyError } from './journal.ts'

/** Rows of `unfiled` that could not be filed, as they were; `fault` says why not. Their payloads stay where they are. */
export const QUARANTINE = `
CREATE TABLE quarantine (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL,
  fault TEXT NOT NULL
);
`

/** How many incidents a row of `unfiled` or `quarantine` holds, joined with its contents; that of one without contents is unknown. */
export const ENTRY_INCIDENTS = 'coalesce(last - first + 1, 1)'

/** What one bad row holds is kept, and the others go on without it. It counts against no quota: it would never free its part. */
export interface Quarantine {
  /** Undefined: it is not on disk yet, and so cannot be told from what was to blame. Inside `write`. */
  add(failure: ApplyError): Quarantined | undefined
  /** At the start: this program may be able to file what is here, and what comes later it is not. */
  loadCandidates(): void
  /**
   * Puts one that was offered back among what waits. Its incidents are numbered anew, since whatever follows the numbers has passed it by. False: there
   * is none left. Inside `write`.
   */
  requeue(): boolean
  /** Whether `release` may have one. */
  readonly hasCandidates: boolean
  /** From now on it has none: all have had their turn, or there is no room. */
  dropCandidates(): void
}

interface Row {
  readonly first: number
  readonly incidents: number
}

export function openQuarantine({
  db,
  counts,
  channels,
  now,
}: Pick<StoreContext, 'db' | 'counts' | 'channels' | 'now'>): Quarantine {
  const sized = (table: string) =>
    `SELECT first, ${ENTRY_INCIDENTS} AS incidents FROM ${table} LEFT JOIN contents USING (first)`
  const find = query<Row>(db, `${sized('unfiled')} WHERE first = ?`)
  const all = query<Pick<Row, 'first'>>(db, 'SELECT first FROM quarantine ORDER BY first')
  const held = query<Row>(db, `${sized('quarantine')} WHERE first = ?`)
  const enter = command(
    db,
    'INSERT INTO quarantine (first, committed_at, submissions, fault) SELECT first, committed_at, submissions, ? FROM unfiled WHERE first = ?',
  )
  const remove = command(db, 'DELETE FROM unfiled WHERE first = ?')
  const renumber = command(db, 'UPDATE contents SET first = ?1, last = ?1 + last - first WHERE first = ?2')
  // A clock that was ahead then would hold it back until that time comes.
  const leave = command(
    db,
    'INSERT INTO unfiled (first, committed_at, submissions) SELECT ?, min(committed_at, ?), submissions FROM quarantine WHERE first = ?',
  )
  const forget = command(db, 'DELETE FROM quarantine WHERE first = ?')
  let candidates: number[] = []

  function count(incidents: number): void {
    counts.journal.flushed += Math.sign(incidents)
    counts.journal.incidents += incidents
    counts.journal.deliveries += incidents * channels.length
    counts.quarantined -= incidents
  }
  return {
    add({ first, message }) {
      const row = first === undefined ? undefined : find.get(first)
      if (row === undefined) return undefined
      enter.run(message, row.first)
      remove.run(row.first)
      count(-row.incidents)
      return { ...row, fault: message }
    },
    requeue() {
      const row = held.get(candidates.shift() ?? 0)
      if (row === undefined) return false
      const { first, incidents } = row
      renumber.run(counts.nextSeq, first)
      leave.run(counts.nextSeq, now(), first)
      forget.run(first)
      counts.nextSeq += incidents
      count(incidents)
      return true
    },
    loadCandidates() {
      candidates = all.all().map(({ first }) => first)
    },
    get hasCandidates() {
      return candidates.length > 0
    },
    dropCandidates() {
      candidates = []
    },
  }
}
