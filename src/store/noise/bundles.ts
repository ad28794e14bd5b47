import type { Storm } from '../../policy/storm-state.ts'
import { LEDGER_OFFSET, type Records, type ToldRevision } from '../bundles/records.ts'
import { BUNDLE_KIND, KIND } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** Closed digests that are kept whatever their age, and the age up to which all are. */
const MAX_KEPT = 1_000
const KEPT_MS = 30 * 24 * 3_600_000
/** Digests that closed first, which one call looks at. */
const STEP = 64

/** Rows of digests: `bundles`, `revisions`, and the one in `dispatches`. Inside `write`. */
export type StormBundles = ReturnType<typeof openStormBundles>

export function openStormBundles(db: Sql, records: Records) {
  const save = command(db, 'UPDATE bundles SET folded = ?, handed = ? WHERE id = ?')
  const told = command(
    db,
    `UPDATE bundles SET told = ?1, handed = CASE WHEN handed < ?1 THEN ?1 ELSE handed END,
       folded = CASE WHEN folded < ?1 THEN ?1 ELSE folded END, revision = ?2,
       message_id = CASE WHEN ?4 = 1 THEN ?3 ELSE coalesce(?3, message_id) END,
       posted_at = CASE WHEN ?4 = 1 THEN ?5 ELSE posted_at END WHERE id = ?6`,
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
    open: (lane: Lane, since: number, now: number): number =>
      records.begin(lane, { kind: BUNDLE_KIND.storm, subject: null, since, now }),
    /** Returns the time from which on incidents belong to the storm, epoch milliseconds. */
    since: (bundle: number) => since.get(bundle)?.since ?? Infinity,
    /** Moves that time with a clock that was set back. */
    shift: (bundle: number, byMs: number) => void shift.run(byMs, bundle),
    /** Writes the numbers of an open digest. */
    save: (bundle: number, { folded, handed }: Storm) => void save.run(folded, handed, bundle),
    told(bundle: number, revised: ToldRevision): void {
      const { number, through, way, at, messageId: id } = revised
      told.run(through, number, id === undefined ? null : withoutNul(id), way === 'post' ? 1 : 0, at, bundle)
      records.told(bundle, revised)
    },
    close: records.close,
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
