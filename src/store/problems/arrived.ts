import type { Draft } from '../../domain/incident.ts'
import type { ProblemAlert } from '../../policy/problem.ts'
import { type Statements, withoutNul } from '../engine/statement.ts'

const COLUMNS = `seq AS incident, id, fingerprint, title, service, severity, status, sender, source, committed_at AS "committedAt",
  changed_at AS "changedAt", members`

/** Opens the read of applied incidents, in order. */
export function openArrived(db: Statements) {
  const between = db.query<
    Omit<ProblemAlert, 'changedAt' | 'members'> & { changedAt: number | null; members: string | null }
  >(`SELECT ${COLUMNS} FROM incidents WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`)
  return (first: number, last: number, limit: number): ProblemAlert[] =>
    between.all(first, last, limit).map(({ changedAt, members, ...row }) => ({
      ...row,
      changedAt: changedAt ?? undefined,
      members: members === null ? undefined : JSON.parse(members),
    }))
}

/** An incident that is inserted; `committedAt` in epoch milliseconds. */
export interface Arriving {
  readonly draft: Draft
  readonly incident: number
  readonly committedAt: number
}

export function alertOfDraft({ draft, incident, committedAt }: Arriving): ProblemAlert {
  const { id, status, sender, source, changedAt, members } = draft
  return {
    ...{ id, fingerprint: withoutNul(draft.fingerprint), title: withoutNul(draft.title) },
    ...{ service: withoutNul(draft.service), severity: withoutNul(draft.severity) },
    ...{ status, sender, source, incident, committedAt, changedAt, members },
  }
}
