import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import type { BundleRow } from './rows.ts'
import type { Tallies } from './sums/tallies.ts'
import { DELIVERED_COLUMNS, type DeliveredFacts } from './sums/tally.ts'

/** Problems of this time before a storm are known to it. */
const KNOWN_MS = 10 * 60_000
/** Incidents among which they are looked for. */
const LOOK_BACK = 5_000

/**
 * Opens the seeding of a digest with the problems that its destination was told of, or has waiting. Those since its begin belong
 * to the storm, and count as told singly. Inside `write`.
 */
export function openSeed({ db, counts, now }: StoreContext, tallies: Pick<Tallies, 'add'>) {
  const recent = db.query<DeliveredFacts>(
    `SELECT ${DELIVERED_COLUMNS} FROM incidents i CROSS JOIN dispatches d
     WHERE d.incident = i.seq AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0 AND i.seq > ? AND coalesce(d.placed_at, i.committed_at) >= ? AND d.state IN (${STATE.pending}, ${STATE.sending}, ${STATE.sent}) AND d.bundle IS NULL
     ORDER BY i.seq`,
  )
  return (lane: Lane, digest: BundleRow): void => {
    const { since } = digest.bundle
    const from = Math.min(since, now() - KNOWN_MS)
    // Rows of a turn that is not over are above `appliedUpTo`.
    for (const row of recent.all(lane.code, counts.appliedUpTo - LOOK_BACK, from))
      tallies.add(digest, row, row.committedAt >= since ? 'singly' : 'before')
  }
}
