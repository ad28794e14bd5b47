import type { ProblemPage } from '../../../api/noise/problem.ts'
import { CodedError } from '../../../domain/errors.ts'
import { QUIET_KINDS } from '../../../policy/problem.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Parameter } from '../../engine/sql.ts'
import { query } from '../../engine/statement.ts'
import { pageSize } from '../../incidents/filters.ts'
import { PROBLEM_STATE, type ProblemRow } from '../rows.ts'
import type { ProblemFilter } from './filter.ts'
import { problemRecord } from './view.ts'

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
  function rowsOf(state: number, after: After, { clauses, parameters }: Clauses, limit: number): ProblemRow[] {
    const { lastAt, id } = state === after.state ? after : FIRST
    const where = ['state = ? AND brief = ? AND last_at <= ? AND (last_at < ? OR id < ?)', ...clauses].join(' AND ')
    const rows = query<ProblemRow>(db, `SELECT * FROM problems WHERE ${where} ORDER BY last_at DESC, id DESC LIMIT ?`)
    return QUIET_KINDS.flatMap((_, kind) => rows.all(state, kind, lastAt, lastAt, id, ...parameters, limit))
      .sort((a, b) => b.last_at - a.last_at || b.id - a.id)
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
    const page = found.slice(0, size)
    const last = found.length > size ? page.at(-1) : undefined
    return {
      problems: page.map((row) => problemRecord(row, now())),
      firing: counts.problems.firing,
      next_cursor: last === undefined ? null : `${last.state}.${last.last_at}.${last.id}`,
    }
  }
}

const FIRST: After = { state: PROBLEM_STATE.firing, lastAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

function afterOf(cursor: string): After {
  const [, state, lastAt, id] = /^([01])\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (id === undefined) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return { state: Number(state), lastAt: Number(lastAt), id: Number(id) }
}

interface Clauses {
  readonly clauses: readonly string[]
  readonly parameters: readonly Parameter[]
}

function clausesOf({ q, severity, service, source, acknowledged }: ProblemFilter): Clauses {
  const conditions: readonly (readonly [clause: string, ...Parameter[]])[] = [
    ...(severity === undefined ? [] : [['severity = ?', severity] as const]),
    ...(service === undefined ? [] : [['service = ?', service] as const]),
    ...(source === undefined ? [] : [['source = ?', source] as const]),
    ...(acknowledged === undefined ? [] : [[`acked_at IS ${acknowledged ? 'NOT ' : ''}NULL`] as const]),
    ...(q === undefined
      ? []
      : [["lower(title || ' ' || service || ' ' || fingerprint) LIKE lower(?) ESCAPE '#'", likeAny(q)] as const]),
  ]
  return {
    clauses: conditions.map(([clause]) => clause),
    parameters: conditions.flatMap(([, ...parameters]) => parameters),
  }
}

/** Returns the pattern of texts that contain this one. */
const likeAny = (text: string) => `%${text.replace(/[%_#]/g, '#$&')}%`
