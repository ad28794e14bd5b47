import type { StoreContext } from '../engine/context.ts'
import { command, query, withoutNul } from '../engine/statement.ts'
import type { Escalations } from '../oncall/escalations.ts'
import type { FollowUps } from '../outbox/follow-ups.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Acknowledgement } from '../ports/operator.ts'
import type { Problems } from '../problems/problems.ts'
import type { MarkResolved } from './mark-resolved.ts'

interface AcknowledgeDeps {
  readonly escalations: Escalations
  readonly followUps: Pick<FollowUps, 'raise'>
  readonly markResolved: MarkResolved
  /** Ends what silences hold of a problem. */
  endHolds(fingerprint: string): void
  readonly problems: Pick<Problems, 'acknowledge' | 'resolve' | 'flush'>
}

/**
 * Opens acknowledge and resolve: they change the incident, its escalation, and raise follow-ups. Each is announced,
 * also when the incident does not page. Inside `write`.
 */
export function openAcknowledge(
  { db, now }: StoreContext,
  { escalations, followUps, markResolved, endHolds, problems }: AcknowledgeDeps,
) {
  const find = query<{ seq: number; fingerprint: string; acked_at: number | null }>(
    db,
    'SELECT seq, fingerprint, acked_at FROM incidents WHERE id = ?',
  )
  const acknowledge = command(db, 'UPDATE incidents SET acked_at = ?, acked_by = ? WHERE seq = ? AND acked_at IS NULL')
  return {
    acknowledge(id: string, by: string): Acknowledgement {
      const found = find.get(id)
      if (found === undefined) return { kind: 'unknown' }
      if (found.acked_at !== null) return { kind: 'already' }
      acknowledge.run(now(), withoutNul(by), found.seq)
      problems.acknowledge(found.fingerprint, withoutNul(by))
      followUps.raise(found.seq, { word: 'acknowledged', by })
      const changes = escalations.acknowledge(found.seq)
      for (const { incident } of changes) acknowledge.run(now(), withoutNul(by), incident)
      return {
        kind: 'acknowledged',
        oncall: withAnnouncement({ incident: found.seq, action: 'acknowledged', by }, changes),
      }
    },
    resolve(id: string, by: string): readonly OncallChange[] | undefined {
      // Its sender may have resolved it already.
      problems.flush()
      const found = find.get(id)
      if (found === undefined) return undefined
      if (markResolved(found.seq)) followUps.raise(found.seq, { word: 'resolved', by })
      endHolds(found.fingerprint)
      problems.resolve(found.fingerprint)
      return withAnnouncement({ incident: found.seq, action: 'resolved', by }, escalations.resolve(found.fingerprint))
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
