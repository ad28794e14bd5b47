import type { AnswerPage, AnswerRecord } from '../../api/answer.ts'
import { isoTime } from '../../text/iso-time.ts'
import type { Statements } from '../engine/statement.ts'
import { numberIn, pageOf, pageSize, whereOf } from '../incidents/filters.ts'
import type { AnswerFilter } from './filter.ts'
import type { AnswerRow } from './rows.ts'

type ListedRow = AnswerRow & { readonly title: string | null }

const SELECT = 'SELECT a.*, p.title FROM answers a LEFT JOIN problems p ON p.id = a.problem'
/** Answers of one problem that its page has. */
const SHOWN = 20

/** Opens the list of answers, latest first. Throws `bad_parameter` for a cursor that is not valid. */
export function openAnswerList(db: Statements) {
  return function list({ limit, cursor, problem, by, via, result }: AnswerFilter): AnswerPage {
    const size = pageSize(limit)
    const { clauses, parameters } = whereOf(
      ['a.id < ?', numberIn(cursor)],
      problem !== undefined && ['a.problem = ?', problem],
      by !== undefined && ['(a.actor = ? OR a.actor_id = ? OR a.person = ?)', by, by, by],
      via !== undefined && ['a.via = ?', via],
      result !== undefined && ['a.result = ?', result],
    )
    const rows = db.query<ListedRow>(`${SELECT} WHERE ${clauses.join(' AND ')} ORDER BY a.id DESC LIMIT ?`)
    const { page, last } = pageOf(rows.all(...parameters, size + 1), size)
    return { answers: page.map(recordOf), next_cursor: last === undefined ? null : String(last.id) }
  }
}

/** Opens the reads that follow what is added. */
export function openAnswersAfter(db: Statements) {
  const latest = db.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM answers')
  const after = db.query<ListedRow>(`${SELECT} WHERE a.id > ? ORDER BY a.id LIMIT 64`)
  return {
    /** Returns the highest number of an answer; 0: there is none. */
    latest: (): number => latest.get()?.id ?? 0,
    /** Returns the answers above a number, at most 64, in order. */
    after: (id: number): AnswerRecord[] => after.all(id).map(recordOf),
  }
}

/** Opens the read of the latest answers of one problem. */
export function openAnswersOf(db: Statements) {
  const latest = db.query<ListedRow>(`${SELECT} WHERE a.problem = ? ORDER BY a.id DESC LIMIT ${SHOWN}`)
  return (problem: number): AnswerRecord[] => latest.all(problem).map(recordOf)
}

const recordOf = ({ key: _, next_place: __, through: ___, at, ...row }: ListedRow): AnswerRecord => ({
  ...row,
  at: isoTime(at),
})
