import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../../api/noise/problem.ts'
import { CodedError } from '../../../domain/errors.ts'
import type { Source, Status } from '../../../domain/incident.ts'
import { SEVERITY_LEVELS } from '../../../domain/severity.ts'
import { exactValue } from '../../../policy/matcher.ts'
import { flapScoreAt, QUIET_KINDS, quietKindOf, quietMs } from '../../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import { openAnswersOf } from '../../answers/list.ts'
import type { StoreContext } from '../../engine/context.ts'
import { pageOf, pageSize, type Where, whereOf } from '../../incidents/filters.ts'
import { INCIDENT_COLUMNS, type IncidentRow } from '../../incidents/rows.ts'
import { incidentRecord } from '../../incidents/views.ts'
import { PROBLEM_COLUMNS, PROBLEM_STATE, type ProblemRow, problemOf } from '../rows.ts'

export interface ProblemFilter {
  readonly limit: number
  /** `next_cursor` of the previous page. */
  readonly cursor?: string
  /** A part of the title, the service or the fingerprint, in any case. */
  readonly q?: string
  readonly status?: Status
  /** The word of the latest incident, in lower case. */
  readonly severity?: string
  readonly service?: string
  readonly source?: Source
  readonly acknowledged?: boolean
}

/** The last problem of the page before. */
interface After {
  readonly state: number
  readonly lastAt: number
  readonly id: number
}

/**
 * Opens the list of problems: those that fire first, then the latest first. A filter reads all problems at most, which
 * are bounded. Throws `bad_parameter` for a cursor that is not valid.
 */
export function openProblemList({ db, counts, now }: Pick<StoreContext, 'db' | 'counts' | 'now'>) {
  /** The index has the kinds of quiet apart. */
  function rowsOf(state: number, after: After, { clauses, parameters }: Where, limit: number): ProblemRow[] {
    const { lastAt, id } = state === after.state ? after : FIRST
    const where = ['state = ? AND brief = ? AND last_at <= ? AND (last_at < ? OR id < ?)', ...clauses].join(' AND ')
    const rows = db.query<ProblemRow>(
      `SELECT ${PROBLEM_COLUMNS} FROM problems WHERE ${where} ORDER BY last_at DESC, id DESC LIMIT ?`,
    )
    return QUIET_KINDS.flatMap((_, kind) => rows.all(state, kind, lastAt, lastAt, id, ...parameters, limit))
      .sort((a, b) => b.lastAt - a.lastAt || b.id - a.id)
      .slice(0, limit)
  }

  return function problems(filter: ProblemFilter): ProblemPage {
    const after = filter.cursor === undefined ? FIRST : afterOf(filter.cursor)
    const size = pageSize(filter.limit)
    const clauses = clausesOf(filter)
    const found: ProblemRow[] = []
    for (const state of Object.values(PROBLEM_STATE)) {
      const wanted = filter.status === undefined || state === PROBLEM_STATE[filter.status]
      if (wanted && state >= after.state && found.length <= size)
        found.push(...rowsOf(state, after, clauses, size + 1 - found.length))
    }
    const { page, last } = pageOf(found, size)
    return {
      problems: page.map((row) => problemRecord(row, now())),
      firing: counts.problems.firing,
      next_cursor: last === undefined ? null : `${last.state}.${last.lastAt}.${last.id}`,
    }
  }
}

const FIRST: After = { state: PROBLEM_STATE.firing, lastAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

function afterOf(cursor: string): After {
  const [, state, lastAt, id] = /^([01])\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (id === undefined) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return { state: Number(state), lastAt: Number(lastAt), id: Number(id) }
}

const clausesOf = ({ q, severity, service, source, acknowledged }: ProblemFilter): Where =>
  whereOf(
    severity !== undefined && ['severity = ?', severity],
    service !== undefined && ['service = ?', service],
    source !== undefined && ['source = ?', source],
    acknowledged !== undefined && [`acked_at IS ${acknowledged ? 'NOT ' : ''}NULL`],
    q !== undefined && ["lower(title || ' ' || service || ' ' || fingerprint) LIKE lower(?) ESCAPE '#'", likeAny(q)],
  )

/** Returns the pattern of texts that contain this one. */
const likeAny = (text: string) => `%${text.replace(/[%_#]/g, '#$&')}%`

const MAX_INCIDENTS = 100

/** Opens the read of one problem with its latest incidents. */
export function openProblemDetail({ db, now }: Pick<StoreContext, 'db' | 'now'>) {
  const problem = db.query<ProblemRow>(`SELECT ${PROBLEM_COLUMNS} FROM problems WHERE id = ?`)
  const incident = db.query<IncidentRow & { readonly previous: number | null }>(
    `SELECT ${INCIDENT_COLUMNS}, previous FROM incidents WHERE seq = ?`,
  )

  const answersOf = openAnswersOf(db)

  function latest(row: ProblemRow): IncidentRow[] {
    const found: IncidentRow[] = []
    let next: number | null = row.lastIncident
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

/** `now`: epoch milliseconds. */
function problemRecord(row: ProblemRow, now: number): ProblemRecord {
  const problem = problemOf(row)
  const { fingerprint, state, title, service, severity, sender, source, firing } = problem
  const quiet = quietMs(quietKindOf(problem))
  const endsAt = state === 'firing' && quiet !== Infinity ? problem.lastAt + quiet : null
  return {
    ...{ id: row.id, fingerprint, state, title, service, severity },
    level: SEVERITY_LEVELS[problem.level] ?? 'warning',
    sender,
    source,
    since: isoTime(problem.since),
    opened_at: isoTime(problem.openedAt),
    first_at: isoTime(problem.firstAt),
    last_at: isoTime(problem.lastAt),
    ...{ firing, firing_total: problem.firingTotal, resolved_total: problem.resolvedTotal },
    ...{ ended_by: problem.endedBy, resolved_by: problem.resolvedBy, ends_at: isoTimeOrNull(endsAt) },
    acked_at: isoTimeOrNull(problem.ackedAt),
    acked_by: problem.ackedBy,
    flap_score: Math.round(flapScoreAt(problem, now) * 100) / 100,
    last_incident_id: problem.lastId,
  }
}
