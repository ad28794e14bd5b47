import type { IncidentDetail, IncidentRecord } from '../../api/incident.ts'
import { openAnswersOf } from '../answers/list.ts'
import { KIND } from '../engine/column-codes.ts'
import { PAYLOAD_SLICE, type PayloadSlice } from '../journal/payloads.ts'
import { type PageRow, pageOf } from '../pages/rows.ts'
import { SHOWN_COLUMNS } from '../pages/view.ts'
import type { StoreParts } from '../parts.ts'
import { DELIVERY_COLUMNS, INCIDENT_COLUMNS, type IncidentRow } from './rows.ts'
import { type DetailRows, detailOf, incidentRecord } from './views.ts'

/** Opens the read of one incident without deliveries, attempts and payload. */
export function openIncidentRecord({ db }: StoreParts) {
  const incident = db.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incidents WHERE id = ?`)
  return function record(id: string): IncidentRecord | undefined {
    const row = incident.get(id)
    return row === undefined ? undefined : incidentRecord(row)
  }
}

/** Opens the read of one incident with payload, deliveries, attempts and escalation. */
export function openIncidentDetail({ db, payloads }: StoreParts) {
  const incident = db.query<Omit<DetailRows['incident'], 'content'> & PayloadSlice & { readonly problem: number }>(
    `SELECT ${INCIDENT_COLUMNS}, ${PAYLOAD_SLICE}, ${SHOWN_COLUMNS}, problem, origin, overrides FROM incidents LEFT JOIN particulars USING (seq) WHERE id = ?`,
  )
  const deliveries = db.query<DetailRows['deliveries'][number]>(
    `SELECT ${DELIVERY_COLUMNS} FROM dispatches d WHERE incident = ? AND kind = ${KIND.delivery} ORDER BY channel, destination`,
  )
  const attempts = db.query<DetailRows['attempts'][number]>(
    'SELECT * FROM attempts WHERE incident = ? ORDER BY channel, number',
  )
  const pages = db.query<PageRow>('SELECT * FROM pages WHERE problem = ?')
  const answersOf = openAnswersOf(db)
  return function detail(id: string): IncidentDetail | undefined {
    const row = incident.get(id)
    if (row === undefined) return undefined
    return detailOf({
      incident: { ...row, content: payloads.of(row) },
      deliveries: deliveries.all(row.seq),
      attempts: attempts.all(row.seq),
      answers: answersOf(row.problem),
      pages: row.page === null ? [] : pages.all(row.problem).map(pageOf),
    })
  }
}
