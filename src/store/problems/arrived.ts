import type { Draft } from '../../domain/commit.ts'
import type { Sender, Source, Status } from '../../domain/incident.ts'
import type { ProblemAlert } from '../../policy/problem.ts'
import type { Sql } from '../engine/sql.ts'
import { query, withoutNul } from '../engine/statement.ts'

interface ArrivedRow {
  readonly seq: number
  readonly id: string
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly sender: Sender
  readonly source: Source
  readonly committed_at: number
  readonly changed_at: number | null
  readonly members: string | null
  readonly previous: number | null
}

/** An applied incident; `previous`: the one before it of the same fingerprint, as its row has it. */
export interface ArrivedAlert extends ProblemAlert {
  readonly previous: number | null
}

const COLUMNS =
  'seq, id, fingerprint, title, service, severity, status, sender, source, committed_at, changed_at, members, previous'

export function openArrived(db: Sql) {
  const between = query<ArrivedRow>(
    db,
    `SELECT ${COLUMNS} FROM incidents WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
  )
  return {
    between: (first: number, last: number, limit: number): ArrivedAlert[] =>
      between.all(first, last, limit).map(alertOfRow),
  }
}

const alertOfRow = (row: ArrivedRow): ArrivedAlert => ({
  id: row.id,
  fingerprint: row.fingerprint,
  title: row.title,
  service: row.service,
  severity: row.severity,
  status: row.status,
  sender: row.sender,
  source: row.source,
  incident: row.seq,
  committedAt: row.committed_at,
  changedAt: row.changed_at ?? undefined,
  members: row.members === null ? undefined : JSON.parse(row.members),
  previous: row.previous,
})

/** An incident that is inserted; `committedAt` in epoch milliseconds. */
export interface Arriving {
  readonly draft: Draft
  readonly incident: number
  readonly committedAt: number
}

export const alertOfDraft = ({ draft, incident, committedAt }: Arriving): ProblemAlert => ({
  id: draft.id,
  fingerprint: withoutNul(draft.fingerprint),
  title: withoutNul(draft.title),
  service: withoutNul(draft.service),
  severity: withoutNul(draft.severity),
  status: draft.status,
  sender: draft.sender,
  source: draft.source,
  incident,
  committedAt,
  changedAt: draft.changedAt,
  members: draft.members,
})
