import type { Decision } from '../../../policy/decision.ts'
import type { StoreParts } from '../../parts.ts'
import type { Decided, RouteHits, RuleHits } from '../../ports/noise.ts'
import { ANY_RULE } from '../decisions.ts'

/** Opens the counts of what the rules matched. */
export function openRouteHits({ db, counts }: StoreParts) {
  const rows = db.query<RuleHits>('SELECT name, hits, last_at AS "lastAt" FROM rules')
  return function routeHits(): RouteHits {
    const all = rows.all()
    const matched = all.find(({ name }) => name === ANY_RULE)?.hits ?? 0
    // Incidents are numbered from 1, without gaps.
    return { rules: all.filter(({ name }) => name !== ANY_RULE), unmatched: Math.max(0, counts.appliedUpTo - matched) }
  }
}

/** Opens the read of what decided about one incident. */
export function openDecided({ db, keys }: StoreParts) {
  const row = db.query<{
    readonly json: string | null
    readonly overrides: string | null
    readonly committedAt: number
  }>(
    `SELECT d.json, p.overrides, i.committed_at AS "committedAt" FROM incidents i LEFT JOIN decisions d ON d.id = i.decision LEFT JOIN particulars p USING (seq)
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
