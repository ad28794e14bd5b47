import { type Problem, QUIET_KINDS, quietKindOf, quietMs, withEnding } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Causes } from '../noise/silences/causes.ts'
import { PROBLEM_STATE, type ProblemRow, type ProblemRows } from './rows.ts'

/** Problems that one turn ends. */
const STEP = 256
/** Kinds of problems that end by quiet. */
const ENDED_BY_QUIET = ['brief', 'long'] as const

/** Ends problems of which no incident has come for long enough. Inside `write`. */
export function openQuiet(
  { db, counts, now }: StoreContext,
  rows: Pick<ProblemRows, 'find' | 'set' | 'flush'>,
  causes: Pick<Causes, 'ended'>,
) {
  const oldest = db.query<{ last_at: number }>(
    `SELECT last_at FROM problems WHERE state = ${PROBLEM_STATE.firing} AND brief = ? ORDER BY last_at LIMIT 1`,
  )
  const due = db.query<
    Pick<ProblemRow, 'fingerprint'>
  >(`SELECT fingerprint FROM problems WHERE state = ${PROBLEM_STATE.firing} AND brief = ? AND last_at <= ?
     ORDER BY last_at LIMIT ${STEP}`)
  const move = db.command(
    `UPDATE problems SET last_at = last_at + ?1, acked_until = acked_until + ?1 WHERE state = ${PROBLEM_STATE.firing}`,
  )

  /** Reads when the next problem ends. */
  function refresh(): void {
    counts.problems.quietAt = Infinity
    for (const kind of ENDED_BY_QUIET) {
      const row = oldest.get(QUIET_KINDS.indexOf(kind))
      if (row !== undefined) counts.problems.quietAt = Math.min(counts.problems.quietAt, row.last_at + quietMs(kind))
    }
  }

  return {
    refresh,
    /** A problem fires: the next end is no later than its own. */
    wakeFor(problem: Problem): void {
      const at = problem.lastAt + quietMs(quietKindOf(problem))
      if (at < counts.problems.quietAt) counts.problems.quietAt = at
    },
    /** Returns those that ended. */
    end(): Problem[] {
      const ended = ENDED_BY_QUIET.flatMap((kind) =>
        due.all(QUIET_KINDS.indexOf(kind), now() - quietMs(kind)).flatMap(({ fingerprint }) => {
          const problem = rows.find(fingerprint)
          if (problem === undefined) return []
          const over = withEnding(problem, 'quiet', now())
          rows.set(over)
          causes.ended(problem)
          return [over]
        }),
      )
      rows.flush()
      refresh()
      return ended
    },
    /** Moves the times that ends and acknowledgements count from. */
    shift(byMs: number): void {
      move.run(byMs)
      refresh()
    },
  }
}
