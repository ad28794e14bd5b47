import type { Acknowledgement, OncallChange } from './contract.ts'
import type { FollowUps } from './follow-ups.ts'
import type { Escalations } from './oncall/escalations.ts'
import { command, query, readable } from './statement.ts'
import type { Tools } from './tools.ts'

/** What a person says about an incident. */
export function openMarks({ db, now }: Tools, escalations: Escalations, followUps: Pick<FollowUps, 'raise'>) {
  const find = query<{ seq: number; fingerprint: string; acked_at: number | null }>(
    db,
    'SELECT seq, fingerprint, acked_at FROM incidents WHERE id = ?',
  )
  const acknowledge = command(db, 'UPDATE incidents SET acked_at = ?, acked_by = ? WHERE seq = ?')
  const resolve = command(db, 'UPDATE incidents SET resolved_at = ? WHERE seq = ? AND resolved_at IS NULL')
  return {
    acknowledge(id: string, by: string): Acknowledgement {
      const found = find.get(id)
      if (found === undefined) return { kind: 'unknown' }
      if (found.acked_at !== null) return { kind: 'already' }
      acknowledge.run(now(), readable(by), found.seq)
      followUps.raise(found.seq, { word: 'acknowledged', by })
      return { kind: 'acknowledged', oncall: escalations.acknowledge(found.seq).map((change) => ({ ...change, by })) }
    },
    resolve(id: string, by: string): readonly OncallChange[] | undefined {
      const found = find.get(id)
      if (found === undefined) return undefined
      if (resolve.run(now(), found.seq).changes > 0) followUps.raise(found.seq, { word: 'resolved', by })
      return escalations.resolve(found.fingerprint).map((change) => ({ ...change, by }))
    },
  }
}
