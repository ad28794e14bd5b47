import { isLate, type Problem, type ProblemAlert, withAlert, withEnding } from '../../policy/problem.ts'
import { ACKNOWLEDGED_MS, isTaken } from '../../policy/repeat.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Causes } from '../noise/silences/causes.ts'
import type { Fulltext } from '../search/fulltext.ts'
import { type Arriving, alertOfDraft, openArrived } from './arrived.ts'
import { NO_PROBLEMS, type Walk } from './counts.ts'
import { type FlapRules, openFlapping } from './flapping.ts'
import { openPairing } from './pairing.ts'
import { openQuiet } from './quiet.ts'
import { openProblemRows, PROBLEM_STATE, type ProblemHistory, type ProblemRow } from './rows.ts'

/** Changes of problems wait for this time at most, so that repeats cost one write. */
const WAIT_MS = 200
/** Changed problems, or resolutions, that are written at once. */
const MAX_CHANGED = 1_024
const MAX_RESOLUTIONS = 64
/** Incidents that the opening reads at once. */
const BATCH = 256

/** The problem of an incident, and the incident before it of the same problem; null: it is the first one. Numbers. */
export interface Added {
  readonly problem: number
  readonly previous: number | null
  /** The problem fired before. */
  readonly wasFiring: boolean
}

/**
 * Problems: one for each fingerprint. Memory adds each incident as it is inserted, in order, and the changes of up to 200 ms
 * are written together with the number of the last incident that they have. After a crash, the opening adds the incidents
 * after this number again, from the disk. All inside `write`, except `nextAt`.
 */
export type Problems = ReturnType<typeof openProblems>

interface ProblemDeps {
  readonly queueReindex: Fulltext['queueReindex']
  readonly causes: Pick<Causes, 'ended' | 'unknown'>
  readonly flapRules: FlapRules
  /** Undefined: no history is kept. */
  readonly openings: ProblemHistory | undefined
}

export function openProblems(context: StoreContext, { queueReindex, causes, flapRules, openings }: ProblemDeps) {
  const { db, counts, now } = context
  const rows = openProblemRows(context, openings)
  const pairing = openPairing(context, queueReindex)
  const quiet = openQuiet(context, rows, causes)
  const arrived = openArrived(db)
  const progress = db.command('UPDATE problem_progress SET through = ?')
  const flapping = openFlapping(context, flapRules, rows, flush)

  const isChanged = () => counts.problems.added > counts.problems.through

  function resolveLater(walk: Walk): void {
    const { walks } = counts.problems
    counts.problems.walks = { walk, before: walks, size: (walks?.size ?? 0) + 1 }
  }

  function follow(alert: ProblemAlert): Added {
    if (!isChanged()) counts.problems.since = now()
    const { incident, committedAt: at, id } = alert
    const isOlder = incident <= counts.problems.added
    counts.problems.added = Math.max(counts.problems.added, incident)
    const was = rows.find(alert.fingerprint)
    const heard = withAlert(was, alert)
    const is = isOlder ? heard : flapping.follow(heard, was, alert)
    if (was === undefined) rows.add(is)
    else rows.set(is)
    if (is.state === 'firing') quiet.wakeFor(is)
    if (was === undefined) return { problem: is.id, previous: null, wasFiring: false }
    const { lastIncident: next, resolvedBy } = was
    if (alert.status === 'resolved') resolveLater({ next, at, by: { id, committedAt: at } })
    else if (resolvedBy && isLate(was, alert))
      resolveLater({ next: incident, at, by: { id: resolvedBy, committedAt: at }, isAlone: true })
    return { problem: is.id, previous: next, wasFiring: was.state === 'firing' }
  }

  function write(): void {
    rows.flush()
    const waiting: Walk[] = []
    for (let last = counts.problems.walks; last !== undefined; last = last.before) waiting.push(last.walk)
    for (const walk of waiting.reverse()) pairing.resolve(walk)
    Object.assign(counts.problems, { walks: undefined, through: counts.problems.added })
    progress.run(counts.problems.through)
  }

  function flush(): void {
    if (isChanged()) write()
  }

  function isDue(): boolean {
    const isFull = rows.changed() >= MAX_CHANGED || (counts.problems.walks?.size ?? 0) >= MAX_RESOLUTIONS
    return isFull || (isChanged() && now() >= counts.problems.since + WAIT_MS)
  }

  function change(fingerprint: string, by: (problem: Problem) => Problem): void {
    const was = rows.find(fingerprint)
    if (was === undefined) return
    rows.set(by(was))
    rows.flush()
  }

  function changeFiring(fingerprint: string, by: (problem: Problem) => Partial<Problem>): void {
    flush()
    change(fingerprint, (problem) => (problem.state === 'firing' ? { ...problem, ...by(problem) } : problem))
  }

  /** Adds what was applied in the 200 ms before a crash, in most cases nothing. */
  function addStored(): void {
    for (;;) {
      const found = arrived(counts.problems.added + 1, counts.appliedUpTo, BATCH)
      for (const alert of found) follow(alert)
      if (found.length < BATCH) break
    }
    counts.problems.added = Math.max(counts.problems.added, counts.appliedUpTo)
    flush()
  }

  return {
    flapping,
    /** Reads what `add` needs of the incidents of a turn, where a statement costs a round trip. */
    prefetch: rows.prefetch,
    /** Adds an incident before it is inserted. */
    add: (arriving: Arriving): Added => follow(alertOfDraft(arriving)),
    /** Writes incidents that were added among older ones, which no opening adds again. */
    flushOlder(): void {
      write()
      causes.unknown()
    },
    /** Returns a problem with all incidents that are applied. */
    find: (fingerprint: string): Problem | undefined => rows.find(fingerprint),
    /** Returns the number of a problem. */
    numberOf: rows.numberOf,
    /** Returns those with these numbers that are stored. */
    list: rows.list,
    /** Returns the problem with a number. */
    numbered: rows.numbered,
    /** Writes what waits. */
    flush,
    fires: (fingerprint: string): boolean => rows.find(fingerprint)?.state === 'firing',
    acknowledge(fingerprint: string, by: string): void {
      changeFiring(fingerprint, (problem) => ({
        ...(!isTaken(problem) && { ackedAt: now(), ackedBy: by }),
        ackedUntil: now() + ACKNOWLEDGED_MS,
      }))
    },
    /** Shows an acknowledgement that covers no repeats: they page. */
    markAcknowledged(fingerprint: string, by: string): void {
      changeFiring(fingerprint, ({ ackedAt }) => (ackedAt === null ? { ackedAt: now(), ackedBy: by } : {}))
    },
    /** Ends a problem by a person, with all its incidents. */
    resolve(fingerprint: string): void {
      flush()
      const last = rows.find(fingerprint)?.lastIncident
      if (last === undefined) return
      pairing.resolve({ next: last, at: now(), by: null })
      change(fingerprint, (problem) => withEnding(problem, 'person', now()))
      const problem = rows.find(fingerprint)
      if (problem !== undefined) causes.ended(problem)
    },
    /** Writes what is due, ends problems after quiet, which it returns, and goes on with pairing; bounded. */
    next(): readonly Problem[] {
      const isQuiet = counts.problems.quietAt <= now()
      if (isQuiet || isDue()) flush()
      if (counts.problems.pairings > 0) pairing.next()
      return isQuiet ? quiet.end() : []
    },
    /** Returns when `next` has work, epoch milliseconds; Infinity: not without another event. O(1). */
    nextAt(): number {
      if (counts.problems.pairings > 0) return 0
      return Math.min(isChanged() ? counts.problems.since + WAIT_MS : Infinity, counts.problems.quietAt)
    },
    /** Moves times with the machine's clock. */
    shift(byMs: number): void {
      flush()
      rows.forget()
      quiet.shift(byMs)
      flapping.shift(byMs)
    },
    /** Forgets rows that were deleted. */
    deleted(deleted: readonly Pick<ProblemRow, 'id' | 'fingerprint' | 'state'>[]): void {
      openings?.forgotten(
        deleted.filter(({ state }) => state === PROBLEM_STATE.firing).map(({ fingerprint }) => fingerprint),
      )
      for (const row of deleted) {
        rows.deleted(row)
        causes.ended({ ...row, flapScore: 0, flapAt: 0 })
        counts.problems.stored--
        if (row.state === PROBLEM_STATE.firing) counts.problems.firing--
      }
    },
    /** Reads the counts from disk, bounds times of a wrong clock, and adds what is missing. */
    load(): void {
      for (const [time, longest] of [
        ['last_at', 0],
        ['acked_until', ACKNOWLEDGED_MS],
      ] as const)
        db.command(`UPDATE problems SET ${time} = ?1 WHERE ${time} > ?1`).run(now() + longest)
      counts.problems = countsOf(context)
      rows.load()
      flapping.load()
      quiet.refresh()
      addStored()
    },
  }
}

function countsOf({ db }: Pick<StoreContext, 'db'>): typeof NO_PROBLEMS {
  const states = db
    .query<{ state: number; problems: number }>('SELECT state, count(*) AS problems FROM problems GROUP BY state')
    .all()
  const numberOf = (state: number) => states.find((row) => row.state === state)?.problems ?? 0
  const firing = numberOf(PROBLEM_STATE.firing)
  const { through, pairings } = db
    .query<{ through: number; pairings: number }>(
      'SELECT through, (SELECT count(*) FROM pairings) AS pairings FROM problem_progress',
    )
    .get() ?? { through: 0, pairings: 0 }
  const stored = firing + numberOf(PROBLEM_STATE.resolved)
  return { ...NO_PROBLEMS, added: through, through, stored, firing, pairings }
}
