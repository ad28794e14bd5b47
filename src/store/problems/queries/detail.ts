import type { ProblemDetail } from '../../../api/noise/problem.ts'
import { exactValue } from '../../../policy/matcher.ts'
import { openAnswersOf } from '../../answers/list.ts'
import type { StoreContext } from '../../engine/context.ts'
import { query } from '../../engine/statement.ts'
import { INCIDENT_COLUMNS, type IncidentRow } from '../../incidents/rows.ts'
import { incidentRecord } from '../../incidents/views.ts'
import type { ProblemRow } from '../rows.ts'
import { problemRecord } from './view.ts'

const MAX_INCIDENTS = 100

/** Opens the read of one problem with its latest incidents. */
export function openProblemDetail({ db, now }: Pick<StoreContext, 'db' | 'now'>) {
  const problem = query<ProblemRow>(db, 'SELECT * FROM problems WHERE id = ?')
  const incident = query<IncidentRow & { readonly previous: number | null }>(
    db,
    `SELECT ${INCIDENT_COLUMNS}, previous FROM incidents WHERE seq = ?`,
  )

  const answersOf = openAnswersOf(db)

  function latest(row: ProblemRow): IncidentRow[] {
    const found: IncidentRow[] = []
    let next: number | null = row.last_incident
    while (next !== null && found.length < MAX_INCIDENTS) {
      const one = incident.get(next)
      if (one !== undefined) found.push(one)
      next = one?.previous ?? null
    }
    return found
  }

  return function detail(id: number): ProblemDetail | undefined {
    const row = problem.get(id)
    if (row === undefined) return undefined
    const { fingerprint } = row
    const incidents = latest(row).map(incidentRecord)
    return {
      ...problemRecord(row, now()),
      incidents,
      answers: answersOf(id),
      silence: { fingerprint: exactValue(fingerprint) },
    }
  }
}
