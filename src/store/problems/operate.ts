import type { StoreContext } from '../engine/context.ts'
import { change, query, withoutNul } from '../engine/statement.ts'
import type { Escalations } from '../oncall/escalations.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { OperatorPort } from '../ports/operator.ts'
import type { Problems } from './problems.ts'

interface OperateDeps {
  readonly problems: Pick<Problems, 'acknowledge' | 'resolve' | 'flush'>
  readonly escalations: Pick<Escalations, 'rows' | 'acknowledge' | 'resolve'>
  /** Commands on one incident. */
  readonly incidents: Pick<OperatorPort, 'acknowledge' | 'resolve'>
}

/**
 * Opens acknowledge and resolve of a problem: of its latest incident as for that incident alone, and of all its
 * escalations. Both return undefined when no problem has the number. Inside `write`.
 */
export function openProblemActions({ db, now }: StoreContext, { problems, escalations, incidents }: OperateDeps) {
  const find = query<{ fingerprint: string; last_id: string }>(
    db,
    'SELECT fingerprint, last_id FROM problems WHERE id = ?',
  )
  const mark = change(db, 'UPDATE incidents SET acked_at = ?, acked_by = ? WHERE seq = ? AND acked_at IS NULL')
  return {
    acknowledge(id: number, by: string): readonly OncallChange[] | undefined {
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      const latest = incidents.acknowledge(found.last_id, by)
      const others = escalations.rows.unresolvedOf(found.fingerprint).flatMap(({ incident }) => {
        const isNew = mark.run(now(), withoutNul(by), incident) > 0
        return isNew ? escalations.acknowledge(incident) : []
      })
      problems.acknowledge(found.fingerprint, withoutNul(by))
      const own = latest.kind === 'acknowledged' ? latest.oncall : []
      return [...own, ...others.map((change) => ({ ...change, by }))]
    },
    resolve(id: number, by: string): readonly OncallChange[] | undefined {
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      const changes = incidents.resolve(found.last_id, by)
      if (changes !== undefined) return changes
      // Retention has deleted its latest incident.
      problems.resolve(found.fingerprint)
      return escalations.resolve(found.fingerprint).map((change) => ({ ...change, by }))
    },
  }
}
