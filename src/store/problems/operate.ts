import type { FollowUp } from '../../domain/delivery/notice.ts'
import type { openAcknowledge } from '../incidents/acknowledge.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Remark } from '../ports/problems.ts'

/**
 * Opens what people do to a problem. Acknowledge and resolve: of its latest incident as for that incident alone, and of all
 * its pages; both return undefined when no problem has the number. `incidents`: commands on one incident. Inside `write`.
 */
export type ProblemActions = ReturnType<typeof openProblemActions>

export function openProblemActions(
  { problems, pages, followUps }: StoreParts,
  incidents: ReturnType<typeof openAcknowledge>,
  endHolds: (fingerprint: string) => void,
) {
  function acknowledge(id: number, by: string): readonly OncallChange[] | undefined {
    problems.flush()
    const found = problems.numbered(id)
    if (found === undefined) return undefined
    const latest = incidents.acknowledge(found.lastId, by)
    return latest.kind === 'acknowledged' ? latest.oncall : incidents.acknowledgeProblem(id, by)
  }

  /** Raises a follow-up for each thread of its latest message; returns their number. */
  function say({ id, ...said }: Pick<FollowUp, 'word' | 'by' | 'text'> & { readonly id: number }): number {
    const problem = problems.numbered(id)
    return problem === undefined ? 0 : followUps.raiseOf(problem, said)
  }

  return {
    acknowledge,
    say,
    note: (remark: Remark): number => say({ ...remark, word: 'noted' }),
    resolve(id: number, by: string): readonly OncallChange[] | undefined {
      problems.flush()
      const found = problems.numbered(id)
      if (found === undefined) return undefined
      const changes = incidents.resolve(found.lastId, by)
      if (changes !== undefined) return changes
      // Retention has deleted its latest incident.
      endHolds(found.fingerprint)
      problems.resolve(found.fingerprint)
      return pages.resolve(found.fingerprint).map((change) => ({ ...change, by }))
    },
  }
}
