import { statSync } from 'node:fs'
import type { Store, StoreState } from '../contract.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'

/** Incidents, the newest, among which it is counted who waits for a person. */
const LOOK_BACK = 1_000
const DAY_MS = 24 * 3_600_000

/** Tells how the store is doing; it costs what `health` costs. */
export function openOverview(
  { db, counts, now }: StoreContext,
  { counters, health, oncall }: Pick<Store, 'counters' | 'health' | 'oncall'>,
) {
  // A firing incident is over when a later one of its fingerprint says so; of a fingerprint that fires again and again only the last counts.
  const unacknowledged = query<{ firing: number }>(
    db,
    `SELECT count(*) AS firing FROM (
       SELECT status, acked_at, resolved_at, max(seq) FROM incidents WHERE seq >= ? AND created_at > ? GROUP BY fingerprint
     ) WHERE status = 'firing' AND acked_at IS NULL AND resolved_at IS NULL`,
  )
  return (): StoreState => ({
    ...counters(),
    channels: health(),
    oncall: oncall.counters(),
    unacknowledgedFiring: unacknowledged.get(counts.nextSeq - LOOK_BACK, now() - DAY_MS)?.firing ?? 0,
    databaseBytes: sizeOf(db.location()),
    walBytes: sizeOf(`${db.location()}-wal`),
  })
}

function sizeOf(path: string | null): number {
  return (path === null ? undefined : statSync(path, { throwIfNoEntry: false })?.size) ?? 0
}
