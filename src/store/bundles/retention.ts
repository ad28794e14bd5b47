import type { StoreContext } from '../engine/context.ts'
import { LEDGER_OFFSET, openRemove } from './records.ts'

/** Closed bundles that are kept whatever their age, and the age up to which all are. */
const MAX_BUNDLES = 1_000
const BUNDLE_MS = 30 * 24 * 3_600_000
/** Revisions of one bundle that are kept, and attempts. */
const MAX_REVISIONS = 1_000
/** Closed bundles that one run looks at, and problems of them that it deletes at once. */
const LOOKED_AT = 64
const TALLIES = 4_096
/** Old revisions that one run deletes. */
const REVISIONS = 256

const LONG = `bundles b CROSS JOIN revisions r WHERE b.revision > ${MAX_REVISIONS} AND r.bundle = b.id AND r.number <= b.revision - ${MAX_REVISIONS}`
/**
 * Deletes closed bundles in the order in which they closed, but for the newest, that of the newest storm, and those of which
 * places are stored: some channel may be paused for long. These are passed; after the last one the next run begins anew. Of
 * bundles with many revisions it deletes the oldest ones, with the attempts before them.
 */
export function openPruneBundles({ db, counts, now }: StoreContext): () => void {
  const closed = db.query<{ id: number; closed_at: number; is_free: number }>(
    `SELECT id, closed_at, CASE WHEN id <= (SELECT max(id) FROM bundles) - ${MAX_BUNDLES}
         AND (storm IS NULL OR storm < (SELECT max(storm) FROM bundles WHERE storm IS NOT NULL))
         AND NOT EXISTS (SELECT 1 FROM dispatches WHERE bundle = b.id) THEN 1 ELSE 0 END AS is_free
     FROM bundles b WHERE closed_at >= ?1 AND (closed_at > ?1 OR id > ?2) AND closed_at < ?3 ORDER BY closed_at, id LIMIT ${LOOKED_AT}`,
  )
  const removeTallies = db.change(
    `DELETE FROM tallies WHERE bundle = ?1 AND problem IN (SELECT problem FROM tallies WHERE bundle = ?1 LIMIT ${TALLIES})`,
  )
  const remove = openRemove(db)
  const shorten = db.query<{ bundle: number; number: number }>(
    `DELETE FROM revisions WHERE (bundle, number) IN (SELECT r.bundle, r.number FROM ${LONG} LIMIT ${REVISIONS}) RETURNING bundle, number`,
  )
  const forget = db.command(
    `DELETE FROM attempts WHERE incident = ${LEDGER_OFFSET} - ?1 AND number <= (SELECT max(number) FROM attempts WHERE incident = ${LEDGER_OFFSET} - ?1) - ${MAX_REVISIONS}`,
  )

  return function pruneBundles(): void {
    for (const bundle of new Set(shorten.all().map((row) => row.bundle))) forget.run(bundle)
    const { closedAt, id: after } = counts.prunedBundle
    const found = closed.all(closedAt, after, now() - BUNDLE_MS)
    for (const { id, is_free: isFree } of found) {
      if (isFree === 0) continue
      // The tallies of a large one go in several runs.
      if (removeTallies.run(id) === TALLIES) return
      remove(id)
    }
    const last = found.length < LOOKED_AT ? undefined : found.at(-1)
    counts.prunedBundle = { closedAt: last?.closed_at ?? 0, id: last?.id ?? 0 }
  }
}
