import type { Quarantined } from './contract.ts'
import { command, query } from './statement.ts'
import type { Tools } from './tools.ts'
import type { Unfilable } from './unfiled.ts'

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

/** What one bad row holds is kept, and the others go on without it. It counts against no quota: it would never free its part. All inside `write`. */
export interface Quarantine {
  /** Undefined: it is not on disk yet, and so cannot be told from what was to blame. */
  add(unfilable: Unfilable): Quarantined | undefined
  /** For a program that may be able to file it. Its incidents are numbered anew: whatever follows the numbers would have passed it by. */
  release(): void
}

interface Row {
  readonly first: number
  readonly incidents: number
}

export function openQuarantine({ db, tally, channels }: Pick<Tools, 'db' | 'tally' | 'channels'>): Quarantine {
  const sized = (table: string) => `SELECT first, ${HELD} AS incidents FROM ${table} LEFT JOIN contents USING (first)`
  const find = query<Row>(db, `${sized('unfiled')} WHERE first = ?`)
  const held = query<Row>(db, `${sized('quarantine')} ORDER BY first`)
  const enter = command(
    db,
    'INSERT INTO quarantine (first, committed_at, submissions, fault) SELECT first, committed_at, submissions, ? FROM unfiled WHERE first = ?',
  )
  const remove = command(db, 'DELETE FROM unfiled WHERE first = ?')
  const renumber = command(db, 'UPDATE contents SET first = ?1, last = ?1 + last - first WHERE first = ?2')
  const leave = command(
    db,
    'INSERT INTO unfiled (first, committed_at, submissions) SELECT ?, committed_at, submissions FROM quarantine WHERE first = ?',
  )
  const empty = command(db, 'DELETE FROM quarantine')

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
      for (const { first, incidents } of held.all()) {
        renumber.run(tally.nextSeq, first)
        leave.run(tally.nextSeq, first)
        tally.nextSeq += incidents
        count(incidents)
      }
      empty.run()
    },
  }
}
