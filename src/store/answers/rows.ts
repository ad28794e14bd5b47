import type { AnswerRecord } from '../../api/answer.ts'
import { type Statements, withoutNul } from '../engine/statement.ts'

/** A row of the table `answers`. */
export interface AnswerRow extends Omit<AnswerRecord, 'at' | 'title'> {
  readonly key: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Of a walk along the places of a digest that goes on. */
  readonly next_place: number | null
  /** The last place of the digest that its button is about. */
  readonly through: number | null
}

const COLUMNS = [
  ...(['key', 'at', 'action', 'minutes', 'via', 'person', 'actor', 'actor_id', 'place', 'problem'] as const),
  ...(['incident', 'digest', 'result', 'silence', 'next_place', 'through'] as const),
] as const satisfies readonly (keyof AnswerRow)[]

/** Rows that are kept: the newest. A press that is repeated later meets the state of its problem. */
const MAX_ROWS = 200_000

/** The ledger of what people did, which remembers the keys of their presses. Inside `write`, except reads. */
export type AnswerRows = ReturnType<typeof openAnswerRows>

export function openAnswerRows(db: Statements) {
  const insert = db.command(`INSERT INTO answers (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`)
  const prune = db.command(`DELETE FROM answers WHERE id <= (SELECT max(id) FROM answers) - ${MAX_ROWS}`)
  const withKey = db.query<AnswerRow>('SELECT * FROM answers WHERE key = ?')
  const next = db.query<{ id: number }>('SELECT coalesce(max(id), 0) + 1 AS id FROM answers')
  const newest = (condition: string, of = 'problem') =>
    db.queryList<AnswerRow>(
      (places) =>
        `SELECT * FROM answers WHERE id IN (SELECT max(id) FROM answers WHERE ${of} IN (${places}) AND ${condition} GROUP BY ${of})`,
    )
  const walking = db.query<AnswerRow>('SELECT * FROM answers WHERE next_place IS NOT NULL ORDER BY id LIMIT 1')
  const walked = db.command('UPDATE answers SET next_place = ? WHERE id = ?')
  const last = newest("result = 'done'")
  const resolved = newest("result = 'done' AND action = 'resolve'")
  const lastOfDigest = newest("result = 'done'", 'digest')
  return {
    withKey: (key: string): AnswerRow | undefined => withKey.get(key),
    /** Adds a row. `key`: absent for an operator, who presses nothing. */
    add(row: Omit<AnswerRow, 'id' | 'key'> & { readonly key?: string }): void {
      const key = row.key ?? `${row.via} ${next.get()?.id}`
      const values = { ...row, key }
      insert.run(
        ...COLUMNS.map((name) => {
          const value = values[name]
          return typeof value === 'string' ? withoutNul(value) : value
        }),
      )
      prune.run()
    },
    /** Returns the oldest row with a walk that goes on. */
    walking: (): AnswerRow | undefined => walking.get(),
    walked: (id: number, next: number | null): void => walked.run(next, id),
    /** Returns the latest thing that was done to each of these problems. */
    last: (problems: readonly number[]): AnswerRow[] => last(problems),
    /** Returns how a person last resolved each of these problems. */
    resolved: (problems: readonly number[]): AnswerRow[] => resolved(problems),
    lastOfDigest: (digest: number): AnswerRow | undefined => lastOfDigest([digest])[0],
  }
}
