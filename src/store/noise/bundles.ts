import type { DispatchKey } from '../../domain/dispatch.ts'
import type { Storm, Way } from '../../policy/storm-state.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** Attempts of the digest n are in the ledger under this number minus n, where an incident's would be. */
export const LEDGER_OFFSET = -(2 ** 41)
/** Closed digests that are kept whatever their age, and the age up to which all are. */
const MAX_KEPT = 1_000
const KEPT_MS = 30 * 24 * 3_600_000
/** Digests that closed first, which one call looks at. */
const STEP = 64

export const digestKey = ({ code, destination }: Lane, bundle: number): DispatchKey => ({
  kind: 'digest',
  destination,
  code,
  incident: 0,
  number: bundle,
})

/** A revision that the provider took. */
interface ToldRevision {
  readonly number: number
  readonly through: number
  readonly way: Way
  /** Epoch milliseconds. */
  readonly at: number
  readonly messageId: string | undefined
}

/** Rows of digests: `bundles`, `revisions`, and the one in `dispatches`. Inside `write`. */
export type Bundles = ReturnType<typeof openBundles>

export function openBundles(db: Sql) {
  const insert = query<{ id: number }>(
    db,
    'INSERT INTO bundles (destination, since, opened_at) VALUES (?, ?, ?) RETURNING id',
  )
  const numberStorm = command(
    db,
    'UPDATE bundles SET storm = (SELECT coalesce(max(storm), 0) + 1 FROM bundles WHERE storm IS NOT NULL) WHERE id = ?',
  )
  const insertDispatch = command(
    db,
    `INSERT INTO dispatches (incident, kind, destination, number, state, target)
     VALUES (0, ${KIND.digest}, ?, ?, ${STATE.pending}, ?)`,
  )
  const save = command(db, 'UPDATE bundles SET folded = ?, handed = ? WHERE id = ?')
  const told = command(
    db,
    `UPDATE bundles SET told = ?1, handed = CASE WHEN handed < ?1 THEN ?1 ELSE handed END,
       folded = CASE WHEN folded < ?1 THEN ?1 ELSE folded END, revision = ?2,
       message_id = CASE WHEN ?4 = 1 THEN ?3 ELSE coalesce(?3, message_id) END,
       posted_at = CASE WHEN ?4 = 1 THEN ?5 ELSE posted_at END WHERE id = ?6`,
  )
  const revision = command(
    db,
    'INSERT INTO revisions (bundle, number, through, way, told_at, message_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const restart = command(
    db,
    `UPDATE dispatches SET earlier_attempts = earlier_attempts + attempts, attempts = 0, may_duplicate = 0
     WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
  )
  const close = command(db, 'UPDATE bundles SET closed_at = ?, dead_reason = ? WHERE id = ?')
  const ended = command(
    db,
    `UPDATE dispatches SET state = ?, dead_reason = ? WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
  )
  const numbers = query<{ told: number; folded: number }>(db, 'SELECT told, folded FROM bundles WHERE id = ?')
  const numbersOf = (bundle: number) => numbers.get(bundle) ?? { told: 0, folded: 0 }
  const since = query<{ since: number }>(db, 'SELECT since FROM bundles WHERE id = ?')
  const shift = command(db, 'UPDATE bundles SET since = since + ? WHERE id = ?')
  const messageId = query<{ message_id: string | null }>(db, 'SELECT message_id FROM bundles WHERE id = ?')
  const forget = command(db, 'UPDATE bundles SET message_id = NULL WHERE id = ?')
  const removals = [
    'DELETE FROM revisions WHERE bundle = ?',
    'DELETE FROM bundle_kinds WHERE bundle = ?',
    `DELETE FROM attempts WHERE incident = ${LEDGER_OFFSET} - ?`,
    `DELETE FROM dispatches WHERE incident = 0 AND kind = ${KIND.digest} AND number = ?`,
    'DELETE FROM bundles WHERE id = ?',
  ].map((sql) => command(db, sql))
  const old = query<{ id: number }>(
    db,
    `SELECT id FROM (SELECT id, storm FROM bundles WHERE closed_at < ? ORDER BY closed_at LIMIT ${STEP}) oldest
     WHERE id <= (SELECT max(id) FROM bundles) - ${MAX_KEPT}
       AND (storm IS NULL OR storm < (SELECT max(storm) FROM bundles WHERE storm IS NOT NULL))
       AND NOT EXISTS (SELECT 1 FROM dispatches WHERE bundle = oldest.id)`,
  )
  const remove = (bundle: number) => {
    for (const removal of removals) removal.run(bundle)
  }
  return {
    /** Begins a digest; returns its number. */
    open(lane: Lane, since: number, now: number): number {
      const id = insert.get(lane.code, since, now)?.id as number
      insertDispatch.run(lane.code, id, lane.target ?? null)
      return id
    },
    /** Numbers a digest that is one of a storm. */
    numberStorm: (bundle: number) => void numberStorm.run(bundle),
    /** Returns the time from which on incidents belong to the storm, epoch milliseconds. */
    since: (bundle: number) => since.get(bundle)?.since ?? Infinity,
    /** Moves that time with a clock that was set back. */
    shift: (bundle: number, byMs: number) => void shift.run(byMs, bundle),
    /** Writes the numbers of an open digest. */
    save: (bundle: number, { folded, handed }: Storm) => void save.run(folded, handed, bundle),
    told(bundle: number, { number, through, way, at, messageId: id }: ToldRevision) {
      const text = id === undefined ? null : withoutNul(id)
      told.run(through, number, text, way === 'post' ? 1 : 0, at, bundle)
      revision.run(bundle, number, through, way, at, text)
    },
    /** Makes the next attempt the first one of a revision. */
    restartAttempts: (bundle: number) => void restart.run(bundle),
    close(bundle: number, now: number, deadReason: string | null) {
      close.run(now, deadReason, bundle)
      ended.run(deadReason === null ? STATE.sent : STATE.dead, deadReason, bundle)
    },
    numbersOf,
    /** It has no place. */
    isEmpty: (bundle: number) => numbersOf(bundle).folded === 0,
    /** Deletes a digest that has no place. */
    remove,
    /** Returns the provider's id of the message that a revision may edit. */
    messageId: (bundle: number) => messageId.get(bundle)?.message_id ?? undefined,
    forgetMessage: (bundle: number) => void forget.run(bundle),
    /** Deletes old digests. */
    prune(now: number) {
      for (const { id } of old.all(now - KEPT_MS)) remove(id)
    },
  }
}
