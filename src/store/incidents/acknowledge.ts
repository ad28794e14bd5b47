import type { Page } from '../../domain/page.ts'
import { withoutNul } from '../engine/statement.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Acknowledgement } from '../ports/operator.ts'
import type { MarkResolved } from './mark-resolved.ts'

/**
 * Opens acknowledge and resolve: they change the incident, the pages of its problem, and raise follow-ups. Each is announced,
 * also when the incident does not page. `endHolds` ends what silences hold of a problem. Inside `write`.
 */
export function openAcknowledge(
  { db, now, pages, runs, followUps, problems }: StoreParts,
  markResolved: MarkResolved,
  endHolds: (fingerprint: string) => void,
) {
  const find = db.query<{ seq: number; problem: number; fingerprint: string; acked_at: number | null }>(
    'SELECT seq, problem, fingerprint, acked_at FROM incidents WHERE id = ?',
  )
  const mark = db.command('UPDATE incidents SET acked_at = ?, acked_by = ? WHERE seq = ? AND acked_at IS NULL')

  function acknowledgeProblem(problem: number, by: string): OncallChange[] {
    const { fingerprint } = problems.numbered(problem) ?? {}
    if (fingerprint !== undefined) problems.acknowledge(fingerprint, withoutNul(by))
    const changes = pages.acknowledge(problem, by)
    for (const { incident } of changes) mark.run(now(), withoutNul(by), incident)
    return changes.map((change) => ({ ...change, by }))
  }

  /** A problem that was acknowledged asks again: a louder page was made, or the time of the acknowledgement is over. */
  function asksAgain(problem: number): boolean {
    const phase = runs?.rows.ofProblem(problem)?.run.phase ?? 'acknowledged'
    const isOpen = ({ timer, stand }: Page) =>
      timer !== undefined || stand?.phase === 'paging' || stand?.phase === 'paged'
    return phase !== 'acknowledged' || pages.rows.find(problem).some(isOpen)
  }

  /** The incident is of the time in which its problem fires. */
  function isOfNow({ seq, problem: number }: { readonly seq: number; readonly problem: number }): boolean {
    const problem = problems.numbered(number)
    return problem?.state === 'firing' && seq >= problem.opening
  }

  return {
    /** `problem`: its number, for an incident that retention has deleted. */
    acknowledge(id: string, by: string, problem = 0): Acknowledgement {
      const found = find.get(id)
      if (found === undefined) {
        const { state, ackedAt } = problems.numbered(problem) ?? {}
        if (state !== 'firing') return { kind: 'unknown' }
        const asks = ackedAt === null || asksAgain(problem)
        const oncall = acknowledgeProblem(problem, by)
        return asks || oncall.length > 0 ? { kind: 'acknowledged', oncall } : { kind: 'already' }
      }
      if (found.acked_at !== null)
        return isOfNow(found) && asksAgain(found.problem)
          ? { kind: 'acknowledged', oncall: acknowledgeProblem(found.problem, by) }
          : { kind: 'already' }
      mark.run(now(), withoutNul(by), found.seq)
      followUps.raise(found.seq, { word: 'acknowledged', by })
      const changes = acknowledgeProblem(found.problem, by)
      return {
        kind: 'acknowledged',
        oncall: withAnnouncement({ incident: found.seq, action: 'acknowledged', by }, changes),
      }
    },
    acknowledgeProblem,
    asksAgain,
    resolve(id: string, by: string): readonly OncallChange[] | undefined {
      // Its sender may have resolved it already.
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      if (markResolved(found.seq)) followUps.raise(found.seq, { word: 'resolved', by })
      endHolds(found.fingerprint)
      problems.resolve(found.fingerprint)
      return withAnnouncement({ incident: found.seq, action: 'resolved', by }, pages.resolve(found.fingerprint))
    },
  }
}

interface OperatorAction {
  readonly incident: number
  readonly action: 'acknowledged' | 'resolved'
  readonly by: string
}

function withAnnouncement({ incident, action, by }: OperatorAction, changes: readonly OncallChange[]): OncallChange[] {
  const announce = { kind: 'announce', action } as const
  const own = changes.some((change) => change.incident === incident && change.effects.length > 0)
  return [...(own ? [] : [{ incident, effects: [announce] }]), ...changes].map((change) => ({ ...change, by }))
}
