import type { Decision } from '../../../policy/decision.ts'
import type { StoreContext } from '../../engine/context.ts'
import { query } from '../../engine/statement.ts'
import type { IdempotencyKeys } from '../../journal/idempotency.ts'
import type { Decided, RouteHits } from '../../ports/noise.ts'

interface DecisionRow {
  readonly json: string
  readonly hits: number
  readonly last_at: number
}

/** Opens the counts of what the routes decided. */
export function openRouteHits({ db, counts }: StoreContext) {
  const rows = query<DecisionRow>(db, 'SELECT json, hits, last_at FROM decisions')
  return function routeHits(): RouteHits {
    const decisions = rows.all().map(({ json, hits, last_at }) => ({
      decision: JSON.parse(json) as Decision,
      hits,
      lastAt: last_at,
    }))
    // Incidents are numbered from 1, without gaps.
    const matched = decisions.reduce((sum, { hits }) => sum + hits, 0)
    return { decisions, unmatched: Math.max(0, counts.appliedUpTo - matched) }
  }
}

/** Opens the read of what decided about one incident. */
export function openDecided({ db }: StoreContext, keys: Pick<IdempotencyKeys, 'keyOf'>) {
  const row = query<{ readonly json: string | null; readonly overrides: string | null; readonly committedAt: number }>(
    db,
    `SELECT d.json, p.overrides, i.committed_at AS committedAt FROM incidents i LEFT JOIN decisions d ON d.id = i.decision LEFT JOIN particulars p USING (seq)
     WHERE i.id = ?`,
  )
  return function decided(id: string): Decided | undefined {
    const found = row.get(id)
    if (found === undefined) return undefined
    return {
      decision: found.json === null ? undefined : (JSON.parse(found.json) as Decision),
      overrides: found.overrides ?? undefined,
      key: keys.keyOf(id, found.committedAt),
    }
  }
}
