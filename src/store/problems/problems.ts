import { isLate, type Problem, type ProblemAlert, withAlert, withEnding } from '../../policy/problem.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Fulltext } from '../search/fulltext.ts'
import { type ArrivedAlert, type Arriving, alertOfDraft, openArrived } from './arrived.ts'
import { openPairing } from './pairing.ts'
import { openPruneProblems } from './prune.ts'
import { openQuiet, type ProblemWatch } from './quiet.ts'
import { openProblemRows, PROBLEM_STATE } from './rows.ts'

/** Changes of problems wait for this time at most, so that repeats cost one write. */
const WAIT_MS = 200
/**
 * Changed problems, or resolutions, that are written at once. New fingerprints lie anywhere in their index, so a larger
 * write changes fewer of its pages for each: with 256 the pages of unique fingerprints were most of what a turn wrote.
 */
const MAX_CHANGED = 1_024
const MAX_RESOLUTIONS = 64
/** Incidents that are read at once, when memory does not follow them. */
const BATCH = 256
/** Batches of one turn, and before the action of a person. */
const BATCHES = 4
const CATCH_UP = 8

/** Numbers of incidents. */
interface Range {
  readonly first: number
  readonly last: number
}

/**
 * Problems: one for each fingerprint. Memory adds each incident as it is inserted, in order, and the changes of up to 200 ms
 * are written together with the number of the last incident that they have. After a failed transaction or a crash, the
 * incidents after this number are read from the disk. All inside `write`, except `nextAt`.
 */
export type Problems = ReturnType<typeof openProblems>

export function openProblems(context: StoreContext, queueReindex: Fulltext['queueReindex'], watch: ProblemWatch) {
  const { db, counts, now } = context
  const rows = openProblemRows(context)
  const pairing = openPairing(context, queueReindex)
  const quiet = openQuiet(context, rows, watch)
  const arrived = openArrived(db)
  const link = command(db, 'UPDATE incidents SET previous = ? WHERE seq = ?')
  const progress = command(db, 'UPDATE problem_progress SET through = ?')

  /** Number of the last incident that memory has added; `counts.problems.through` is that on disk. */
  let added = 0
  /** When the oldest change was made that is not written, epoch milliseconds. */
  let since = 0
  /** Resolutions that are not written. */
  let resolutions: (() => void)[] = []

  const isBehind = () => added < counts.appliedUpTo
  const isChanged = () => added > counts.problems.through || rows.changed() > 0

  function follow(alert: ProblemAlert): number | null {
    if (!isChanged()) since = now()
    const { fingerprint, incident, committedAt: at } = alert
    const was = rows.find(fingerprint)
    const is = withAlert(was, alert)
    rows.set(fingerprint, is)
    if (is.state === 'firing') quiet.wakeFor(is)
    if (was === undefined) return null
    const { lastIncident: next, resolvedBy } = was
    if (alert.status === 'resolved') resolutions.push(() => pairing.resolve({ next, at, by: resolution(alert) }))
    else if (resolvedBy && isLate(was, alert))
      resolutions.push(() => pairing.resolveOne(incident, { at, by: { id: resolvedBy, committedAt: at } }))
    return next
  }

  function followStored(alert: ArrivedAlert): void {
    const previous = follow(alert)
    if (previous !== alert.previous && previous !== null) link.run(previous, alert.incident)
  }

  /** Adds incidents that memory did not follow. */
  function read(batches: number): void {
    for (let left = batches; left > 0 && isBehind(); left--) {
      if (!isChanged()) since = now()
      const found = arrived(added + 1, counts.appliedUpTo, BATCH)
      for (const alert of found) followStored(alert)
      added = found.length < BATCH ? counts.appliedUpTo : (found.at(-1)?.incident ?? counts.appliedUpTo)
    }
  }

  function flush(): void {
    if (!isChanged()) return
    rows.flush()
    for (const resolve of resolutions) resolve()
    resolutions = []
    if (added === counts.problems.through) return
    counts.problems.through = added
    progress.run(added)
  }

  function isDue(): boolean {
    const isFull = rows.changed() >= MAX_CHANGED || resolutions.length >= MAX_RESOLUTIONS
    return isFull || (isChanged() && now() >= since + WAIT_MS)
  }

  function forget(): void {
    rows.clear()
    resolutions = []
    added = counts.problems.through
  }

  /** Adds and writes all that is applied, bounded. */
  function catchUp(): void {
    read(CATCH_UP)
    flush()
  }

  function change(fingerprint: string, by: (problem: Problem) => Problem): void {
    const was = rows.find(fingerprint)
    if (was === undefined) return
    rows.set(fingerprint, by(was))
    rows.flush()
  }

  return {
    /** Reads what `add` needs of the incidents of a turn, where a statement costs a round trip. */
    prefetch: rows.prefetch,
    /**
     * Adds an incident before it is inserted. Returns the number of the one before it of the same fingerprint; null: there
     * is none, or its problem follows later.
     */
    add(arriving: Arriving): number | null {
      const { incident } = arriving
      if (isBehind() || incident <= counts.appliedUpTo) return null
      const previous = follow(alertOfDraft(arriving))
      added = incident
      return previous
    },
    /** Adds applied incidents that were inserted among older ones. */
    include({ first, last }: Range): void {
      if (first > counts.appliedUpTo || first > added) return
      for (const alert of arrived(first, Math.min(last, added), last)) followStored(alert)
      flush()
      watch.unknown()
    },
    /** Returns a problem as memory has it. */
    find: (fingerprint: string): Problem | undefined => rows.find(fingerprint),
    /** Returns a problem with all incidents that are applied; undefined: there is none, or memory follows later. */
    before(fingerprint: string): Problem | undefined {
      read(CATCH_UP)
      return isBehind() ? undefined : rows.find(fingerprint)
    },
    catchUp,
    /** Adds all that is applied, unbounded: what was applied in the 200 ms before a crash, in most cases nothing. */
    followAll(): void {
      while (isBehind()) read(BATCHES)
    },
    /** A problem fires, by what was added. */
    fires: (fingerprint: string): boolean => rows.find(fingerprint)?.state === 'firing',
    acknowledge(fingerprint: string, by: string): void {
      catchUp()
      change(fingerprint, (problem) =>
        problem.state === 'firing' && problem.ackedAt === null ? { ...problem, ackedAt: now(), ackedBy: by } : problem,
      )
    },
    /** Ends a problem by a person, with all its incidents. */
    resolve(fingerprint: string): void {
      catchUp()
      const last = rows.find(fingerprint)?.lastIncident
      if (last === undefined) return
      pairing.resolve({ next: last, at: now(), by: null })
      change(fingerprint, (problem) => withEnding(problem, 'person', now()))
      watch.ended(fingerprint)
    },
    /** Writes what is due, ends problems after quiet, goes on with pairing; bounded. */
    next(): void {
      read(BATCHES)
      const isQuiet = counts.problems.quietAt <= now()
      if (isQuiet || isDue()) flush()
      if (counts.problems.pairings > 0) pairing.next()
      if (isQuiet && !isBehind()) quiet.end()
    },
    /** Returns when `next` has work, epoch milliseconds; Infinity: not without another event. O(1). */
    nextAt(): number {
      if (isBehind() || counts.problems.pairings > 0) return 0
      return Math.min(isChanged() ? since + WAIT_MS : Infinity, counts.problems.quietAt)
    },
    /** Moves times with the machine's clock. */
    shift(byMs: number): void {
      catchUp()
      rows.clear()
      since += byMs
      quiet.shift(byMs)
    },
    prune: openPruneProblems(context, rows, watch),
    /** Reads the counts from disk, and bounds times of a wrong clock. */
    load(): void {
      for (const time of ['last_at', 'acked_at'])
        command(db, `UPDATE problems SET ${time} = ?1 WHERE ${time} > ?1`).run(now())
      counts.problems = countsOf(context)
      forget()
      quiet.refresh()
    },
    rollback: forget,
  }
}

const resolution = ({ id, committedAt }: ProblemAlert) => ({ id, committedAt })

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
