import { STATE } from '../engine/column-codes.ts'
import type { Statements } from '../engine/statement.ts'

const TOLD = `p.state IN (${STATE.sending}, ${STATE.sent})`

/** Returns the escalations that began, and those that nobody answered. */
export function runsIn(db: Statements): { readonly runs: number; readonly unanswered: number } {
  const counted = db
    .query<{ runs: number; unanswered: number }>(
      `SELECT count(*) AS runs, coalesce(sum(instr(run, '"unanswered":true') > 0), 0) AS unanswered FROM oncall_runs`,
    )
    .get()
  return counted ?? { runs: 0, unanswered: 0 }
}

/** Returns each message to a person, with its time in epoch milliseconds. One about many problems is one. */
export const pagesIn = (db: Statements): readonly { readonly person: string; readonly at: number }[] =>
  db
    .query<{
      person: string
      at: number
    }>(`SELECT person, min(coalesce(told_at, settled_at, planned_at)) AS at FROM oncall_pages p
     WHERE person IS NOT NULL AND ${TOLD} GROUP BY person, way, coalesce(message, -p.id)`)
    .all()

/** Returns whom escalations asked about each problem, sorted: keys of people, `provider`. */
export function askedIn(db: Statements): ReadonlyMap<number, readonly string[]> {
  const rows = db
    .query<{
      problem: number
      name: string
    }>(`SELECT DISTINCT r.problem, coalesce(p.person, 'provider') AS name FROM oncall_pages p JOIN oncall_runs r ON r.id = p.run
     WHERE (p.person IS NOT NULL AND ${TOLD}) OR p.target LIKE 'provider%' ORDER BY r.problem, name`)
    .all()
  const byProblem = Map.groupBy(rows, ({ problem }) => problem)
  return new Map(Array.from(byProblem, ([problem, found]) => [problem, found.map(({ name }) => name)]))
}
