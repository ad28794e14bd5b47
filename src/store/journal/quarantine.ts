import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Quarantined } from '../ports/journal.ts'
import type { ApplyError } from './journal.ts'

/** Rows of `unfiled` that could not be applied, with the error in `fault`. Their payloads stay in `contents`. */
export const QUARANTINE = `
CREATE TABLE quarantine (
  first INTEGER PRIMARY KEY,
  committed_at INTEGER NOT NULL,
  submissions TEXT NOT NULL,
  fault TEXT NOT NULL
);
`

/** Number of incidents of a row of `unfiled` or `quarantine`, joined with its payloads; 1 when those are lost. */
export const ENTRY_INCIDENTS = 'coalesce(last - first + 1, 1)'

/**
 * Entries that cannot be applied, so that all others go on. They count against no quota, because they would never give
 * their share back. Inside `write`, except `hasCandidates` and `dropCandidates`.
 */
export interface Quarantine {
  /**
   * Moves the failed entry here. Returns undefined when it is not on disk: then the failed transaction appended it, and
   * the repeated one writes it to the journal, where it fails again.
   */
  add(failure: ApplyError): Quarantined | undefined
  /**
   * Lists the entries to retry: a new program may be able to apply them. Entries that fail later wait for the next
   * opening.
   */
  loadCandidates(): void
  /**
   * Moves one candidate back into the journal; false: none is left. Its incidents get new numbers, since others (the
   * search index) have passed the old ones.
   */
  requeue(): boolean
  /** True while `requeue` may find one. */
  readonly hasCandidates: boolean
  /** Ends the retries until the next opening. */
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
  // A commit time in the future, from a clock that was ahead, would hold its deliveries back until then.
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
      return { ...row, error: message }
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
