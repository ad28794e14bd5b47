import type { DatabaseSync } from 'node:sqlite'
import type { Sender, Source, Status } from '../../domain/incident.ts'
import type { ProblemAlert } from '../../policy/problem.ts'
import { query } from '../engine/statement.ts'

/** An applied incident, as far as its problem is concerned. */
export interface ArrivedRow {
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
}

const COLUMNS =
  'seq, id, fingerprint, title, service, severity, status, sender, source, committed_at, changed_at, members'

export function openArrived(db: DatabaseSync) {
  const after = query<ArrivedRow>(db, `SELECT ${COLUMNS} FROM incidents WHERE seq > ? ORDER BY seq LIMIT ?`)
  const between = query<ArrivedRow>(db, `SELECT ${COLUMNS} FROM incidents WHERE seq BETWEEN ? AND ? ORDER BY seq`)
  return {
    after: (seq: number, limit: number): ArrivedRow[] => after.all(seq, limit),
    between: (first: number, last: number): ArrivedRow[] => between.all(first, last),
  }
}

export const alertOf = (row: ArrivedRow): ProblemAlert => ({
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
})
