import type { Decision } from '../../../policy/decision.ts'
import type { StoreParts } from '../../parts.ts'
import type { RuleHits } from '../../ports/noise.ts'
import { ANY_RULE } from '../decisions.ts'

/** Opens the counts of what the rules matched. */
export function openRouteHits({ db, counts }: StoreParts) {
  const rows = db.query<RuleHits>('SELECT name, hits, last_at AS "lastAt" FROM rules')
  return function routeHits() {
    const all = rows.all()
    const matched = all.find(({ name }) => name === ANY_RULE)?.hits ?? 0
    return {
      /** Rules that matched, of this configuration and of those of the last year. */
      rules: all.filter(({ name }) => name !== ANY_RULE),
      /** Incidents that no rule matched. Incidents are numbered from 1, without gaps. */
      unmatched: Math.max(0, counts.appliedUpTo - matched),
    }
  }
}

export type RouteHits = ReturnType<ReturnType<typeof openRouteHits>>

/** Opens the read of what decided about one incident when it was applied. */
export function openDecided({ db, keys }: StoreParts) {
  const row = db.query<{ json: string | null; overrides: string | null; committedAt: number }>(
    `SELECT d.json, p.overrides, i.committed_at AS "committedAt" FROM incidents i LEFT JOIN decisions d ON d.id = i.decision LEFT JOIN particulars p USING (seq)
     WHERE i.id = ?`,
  )
  return function decided(id: string) {
    const found = row.get(id)
    if (found === undefined) return undefined
    return {
      /** Undefined: no rule matched, or there were none. */
      decision: found.json === null ? undefined : (JSON.parse(found.json) as Decision),
      /** Query parameters of its request, as JSON; undefined: none. */
      overrides: found.overrides ?? undefined,
      /** The idempotency key that leads to the incident; undefined: none of the last 24 h does. */
      key: keys.keyOf(id, found.committedAt),
    }
  }
}

export type Decided = NonNullable<ReturnType<ReturnType<typeof openDecided>>>
