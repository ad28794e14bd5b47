import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { openAcknowledge } from '../incidents/acknowledge.ts'
import type { Pages } from '../pages/pages.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Problems } from './problems.ts'

interface OperateDeps {
  readonly problems: Pick<Problems, 'resolve' | 'flush'>
  readonly pages: Pick<Pages, 'resolve'>
  /** Commands on one incident. */
  readonly incidents: ReturnType<typeof openAcknowledge>
}

/**
 * Opens acknowledge and resolve of a problem: of its latest incident as for that incident alone, and of all its pages. Both
 * return undefined when no problem has the number. Inside `write`.
 */
export function openProblemActions({ db }: StoreContext, { problems, pages, incidents }: OperateDeps) {
  const find = query<{ fingerprint: string; last_id: string }>(
    db,
    'SELECT fingerprint, last_id FROM problems WHERE id = ?',
  )
  return {
    acknowledge(id: number, by: string): readonly OncallChange[] | undefined {
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      const latest = incidents.acknowledge(found.last_id, by)
      return latest.kind === 'acknowledged' ? latest.oncall : incidents.acknowledgeProblem(id, by)
    },
    resolve(id: number, by: string): readonly OncallChange[] | undefined {
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      const changes = incidents.resolve(found.last_id, by)
      if (changes !== undefined) return changes
      // Retention has deleted its latest incident.
      problems.resolve(found.fingerprint)
      return pages.resolve(found.fingerprint).map((change) => ({ ...change, by }))
    },
  }
}
