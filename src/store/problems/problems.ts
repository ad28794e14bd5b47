import { isLate, type Problem, withAlert, withEnding } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Fulltext } from '../search/fulltext.ts'
import { type ArrivedRow, alertOf, openArrived } from './arrived.ts'
import { openPairing } from './pairing.ts'
import { openPruneProblems } from './prune.ts'
import { openQuiet } from './quiet.ts'
import { openProblemRows, PROBLEM_STATE } from './rows.ts'

/** Incidents that a turn adds to their problems. */
const STEP = 256
/** A turn that applies more leaves its incidents to later turns: they are not due while there is much to apply. */
const BUSY = 64
/** Steps before the action of a person. */
const CATCH_UP = 8

/** Numbers of incidents. */
interface Range {
  readonly first: number
  readonly last: number
}

/**
 * Problems: one for each fingerprint. They follow the incidents in order, in the same transaction unless there is much to
 * apply. All inside `write`, except `nextAt`.
 */
export interface Problems {
  /** Adds applied incidents that are older than those that were added. */
  include(range: Range): void
  /** True while the problem of a fingerprint fires. */
  isFiring(fingerprint: string): boolean
  acknowledge(fingerprint: string, by: string): void
  /** Ends a problem by a person, with all its incidents. */
  resolve(fingerprint: string): void
  /** Adds incidents to their problems, ends problems after quiet, goes on with pairing; bounded. `applied`: by the turn. */
  next(applied: number): void
  /** Returns when `next` has work, epoch milliseconds; Infinity: not without another event. O(1). */
  nextAt(): number
  /** Moves times with the machine's clock. */
  shift(byMs: number): void
  prune(): void
  /** Reads the counts from disk, and bounds times of a wrong clock. */
  load(): void
  rollback(): void
}

export function openProblems(context: StoreContext, queueReindex: Fulltext['queueReindex']): Problems {
  const { db, counts, now } = context
  const rows = openProblemRows(context)
  const pairing = openPairing(context, queueReindex)
  const quiet = openQuiet(context, rows)
  const arrived = openArrived(db)
  const link = command(db, 'UPDATE incidents SET previous = ? WHERE seq = ?')
  const progress = command(db, 'UPDATE problem_progress SET through = ?')

  function set(fingerprint: string, was: Problem | undefined, is: Problem): void {
    if (was?.state === 'firing') counts.problems.firing--
    if (is.state === 'firing') counts.problems.firing++
    rows.set(fingerprint, is)
  }

  function add(row: ArrivedRow): void {
    const was = rows.find(row.fingerprint)
    const alert = alertOf(row)
    const is = withAlert(was, alert)
    set(row.fingerprint, was, is)
    if (is.state === 'firing') quiet.wakeFor(is)
    if (was !== undefined) link.run(was.lastIncident, row.seq)
    if (row.status === 'resolved') {
      if (was !== undefined) pairing.resolve({ next: was.lastIncident, at: now(), by: resolution(row) })
    } else if (was?.resolvedBy && isLate(was, alert))
      pairing.resolveOne(row.seq, { at: now(), by: { id: was.resolvedBy, committedAt: now() } })
  }

  function follow(): void {
    const found = arrived.after(counts.problems.through, STEP)
    for (const row of found) add(row)
    rows.flush()
    counts.problems.through = found.length < STEP ? counts.appliedUpTo : (found.at(-1)?.seq ?? 0)
    progress.run(counts.problems.through)
  }

  /** Adds what a person may mean. */
  function catchUp(): void {
    for (let step = 0; step < CATCH_UP && isBehind(); step++) follow()
  }

  function change(fingerprint: string, by: (problem: Problem) => Problem): void {
    const was = rows.find(fingerprint)
    if (was === undefined) return
    set(fingerprint, was, by(was))
    rows.flush()
  }

  const isBehind = () => counts.problems.through < counts.appliedUpTo

  return {
    include({ first, last }) {
      if (first > counts.problems.through) return
      for (const row of arrived.between(first, Math.min(last, counts.problems.through))) add(row)
      rows.flush()
    },
    isFiring: (fingerprint) => rows.find(fingerprint)?.state === 'firing',
    acknowledge(fingerprint, by) {
      catchUp()
      change(fingerprint, (problem) =>
        problem.state === 'firing' && problem.ackedAt === null ? { ...problem, ackedAt: now(), ackedBy: by } : problem,
      )
    },
    resolve(fingerprint) {
      catchUp()
      const last = rows.find(fingerprint)?.lastIncident
      if (last === undefined) return
      pairing.resolve({ next: last, at: now(), by: null })
      change(fingerprint, (problem) => withEnding(problem, 'person', now()))
    },
    next(applied) {
      if (isBehind() && applied <= BUSY) follow()
      if (counts.problems.pairings > 0) pairing.next()
      if (counts.problems.quietAt <= now()) quiet.end()
    },
    nextAt: () => (isBehind() || counts.problems.pairings > 0 ? 0 : counts.problems.quietAt),
    shift(byMs) {
      rows.clear()
      quiet.shift(byMs)
    },
    prune: openPruneProblems(context, rows),
    load() {
      command(db, 'UPDATE problems SET last_at = ?1 WHERE last_at > ?1').run(now())
      counts.problems = countsOf(context)
      quiet.refresh()
    },
    rollback: rows.clear,
  }
}

const resolution = ({ id, committed_at: committedAt }: ArrivedRow) => ({ id, committedAt })

function countsOf({ db }: Pick<StoreContext, 'db'>) {
  const states = query<{ state: number; problems: number }>(
    db,
    'SELECT state, count(*) AS problems FROM problems GROUP BY state',
  ).all()
  const numberOf = (state: number) => states.find((row) => row.state === state)?.problems ?? 0
  const firing = numberOf(PROBLEM_STATE.firing)
  const { through, pairings } = query<{ through: number; pairings: number }>(
    db,
    'SELECT through, (SELECT count(*) FROM pairings) AS pairings FROM problem_progress',
  ).get() ?? { through: 0, pairings: 0 }
  return { through, stored: firing + numberOf(PROBLEM_STATE.resolved), firing, pairings, quietAt: Infinity }
}
