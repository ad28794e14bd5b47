import { CodedError } from '../domain/errors.ts'
import { CHANNEL_CODE } from './codes.ts'
import type { IncidentFilter, IncidentPage } from './contract.ts'
import type { OncallRow } from './oncall/rows.ts'
import {
  type DetailRows,
  detailOf,
  type IncidentDetail,
  type IncidentRecord,
  type IncidentRow,
  incidentRecord,
} from './records.ts'
import { type Parameter, query } from './statement.ts'
import type { Tools } from './tools.ts'

const MAX_PAGE = 500
export const pageSize = (limit: number) => Math.min(Math.max(1, Math.trunc(limit)), MAX_PAGE)

const COLUMNS = `seq, id, title, service, severity, status, source, sender, fingerprint, created_at, committed_at, acked_at, acked_by,
  resolved_at, channels_enabled, channels_notified, notify_status, notify_error, oncall_triggered, oncall_error`

/** Lists incidents, newest first. An unfiltered list costs one page; a filter walks the incidents, which `maxIncidents` bounds. */
export function openIncidentList({ db, tally }: Tools) {
  return function incidents(filter: IncidentFilter): IncidentPage {
    const limit = pageSize(filter.limit)
    const { clauses, parameters } = conditions(filter)
    const where = clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`
    const before = [...clauses, 'seq < ?'].join(' AND ')
    const rows = query<IncidentRow>(
      db,
      `SELECT ${COLUMNS} FROM incidents WHERE ${before} ORDER BY seq DESC LIMIT ?`,
    ).all(...parameters, beforeSeq(filter.cursor), limit + 1)
    const total =
      clauses.length === 0
        ? tally.incidents
        : query<{ total: number }>(db, `SELECT count(*) AS total FROM incidents ${where}`).get(...parameters)?.total
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      incidents: page.map(incidentRecord),
      total: total ?? 0,
      next_cursor: last === undefined ? null : String(last.seq),
    }
  }
}

function conditions({ status, severity, service, source, channel }: IncidentFilter) {
  const wanted: readonly (readonly [string, Parameter | undefined])[] = [
    ['status = ?', status],
    ['severity = ?', severity],
    ['service = ?', service],
    ['source = ?', source],
    ['channels_enabled & ? <> 0', channel === undefined ? undefined : 1 << CHANNEL_CODE[channel]],
  ]
  const clauses: string[] = []
  const parameters: Parameter[] = []
  for (const [clause, value] of wanted) {
    if (value === undefined) continue
    clauses.push(clause)
    parameters.push(value)
  }
  return { clauses, parameters }
}

function beforeSeq(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor)) throw new CodedError('bad_parameter', 'cursor is not one that a list gave')
  return Number(cursor)
}

/** Reads one incident without what belongs to it. */
export function openIncidentRecord({ db }: Tools) {
  const incident = query<IncidentRow>(db, `SELECT ${COLUMNS} FROM incidents WHERE id = ?`)
  return function record(id: string): IncidentRecord | undefined {
    const row = incident.get(id)
    return row === undefined ? undefined : incidentRecord(row)
  }
}

/** Reads one incident with everything that belongs to it. */
export function openIncidentDetail({ db }: Tools) {
  const incident = query<DetailRows['incident']>(
    db,
    `SELECT ${COLUMNS}, content, origin FROM incidents JOIN payloads USING (seq) WHERE id = ?`,
  )
  const deliveries = query<DetailRows['deliveries'][number]>(
    db,
    'SELECT * FROM deliveries WHERE incident = ? ORDER BY channel',
  )
  const attempts = query<DetailRows['attempts'][number]>(
    db,
    'SELECT * FROM attempts WHERE incident = ? ORDER BY channel, number',
  )
  const timers = query<OncallRow>(db, 'SELECT * FROM oncall WHERE incident = ?')
  return function detail(id: string): IncidentDetail | undefined {
    const row = incident.get(id)
    if (row === undefined) return undefined
    const oncall = timers.get(row.seq)
    return detailOf({ incident: row, deliveries: deliveries.all(row.seq), attempts: attempts.all(row.seq), oncall })
  }
}
