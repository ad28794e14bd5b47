import type { Quarantined } from '../contract.ts'
import type { Tools } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Unfilable } from './journal.ts'

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
export const HELD = 'coalesce(last - first + 1, 1)'

/** What one bad row holds is kept, and the others go on without it. It counts against no quota: it would never free its part. */
export interface Quarantine {
  /** Undefined: it is not on disk yet, and so cannot be told from what was to blame. Inside `write`. */
  add(unfilable: Unfilable): Quarantined | undefined
  /** At the start: this program may be able to file what is here, and what comes later it is not. */
  offer(): void
  /**
   * Puts one that was offered back among what waits. Its incidents are numbered anew, since whatever follows the numbers has passed it by. False: there
   * is none left. Inside `write`.
   */
  release(): boolean
  /** Whether `release` may have one. */
  readonly untried: boolean
  /** From now on it has none: all have had their turn, or there is no room. */
  keep(): void
}

interface Row {
  readonly first: number
  readonly incidents: number
}

export function openQuarantine({
  db,
  tally,
  channels,
  now,
}: Pick<Tools, 'db' | 'tally' | 'channels' | 'now'>): Quarantine {
  const sized = (table: string) => `SELECT first, ${HELD} AS incidents FROM ${table} LEFT JOIN contents USING (first)`
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
  let offered: number[] = []

  function count(incidents: number): void {
    tally.unfiled.noted += Math.sign(incidents)
    tally.unfiled.incidents += incidents
    tally.unfiled.deliveries += incidents * channels.length
    tally.quarantined -= incidents
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
    release() {
      const row = held.get(offered.shift() ?? 0)
      if (row === undefined) return false
      const { first, incidents } = row
      renumber.run(tally.nextSeq, first)
      leave.run(tally.nextSeq, now(), first)
      forget.run(first)
      tally.nextSeq += incidents
      count(incidents)
      return true
    },
    offer() {
      offered = all.all().map(({ first }) => first)
    },
    get untried() {
      return offered.length > 0
    },
    keep() {
      offered = []
    },
  }
}
