import { DESTINATIONS } from '../domain/delivery/delivery.ts'
import { QUIET_KINDS } from '../policy/problem.ts'
import { openPruneBundles } from './bundles/retention.ts'
import { DESTINATION_CODE, KIND, STATE } from './engine/column-codes.ts'
import type { StoreContext } from './engine/context.ts'
import { queueOf } from './engine/counts.ts'
import { USED_STEP } from './engine/lanes.ts'
import { KEY_TTL_MS } from './journal/idempotency.ts'
import { ANY_RULE } from './noise/decisions.ts'
import { IS_NOTICE } from './outbox/notices.ts'
import { followUpQueue, openQueues } from './outbox/queues.ts'
import type { StoreParts } from './parts.ts'
import { PROBLEM_STATE, type ProblemRow } from './problems/rows.ts'

/** Rules without a hit for so long are forgotten. */
const RULE_MS = 365 * 24 * 3_600_000
/** Silences that ended longer ago are deleted, but for the newest 1,000. */
const SILENCE_MS = 30 * 24 * 3_600_000
/** Of those that causes and presses made, of which a problem that comes and goes makes many. */
const CAUSED_MS = 24 * 3_600_000

/**
 * Conditions of the rows deleted with the incidents `?1` to `?2`, by table, in order. A batch of `contents` goes when none of
 * its incidents is stored any more.
 */
export const OWNED = {
  particulars: 'seq BETWEEN ?1 AND ?2',
  dispatches: 'incident BETWEEN ?1 AND ?2',
  attempts: 'incident BETWEEN ?1 AND ?2',
  incidents: 'seq BETWEEN ?1 AND ?2',
  contents: `first >= coalesce((SELECT max(first) FROM contents WHERE first <= ?1), 0) AND first <= ?2 AND last >= ?1
    AND NOT EXISTS (SELECT 1 FROM incidents WHERE seq BETWEEN contents.first AND contents.last)`,
} as const

const OLD_NOTICE = `${IS_NOTICE} AND state NOT IN (${STATE.pending}, ${STATE.sending})
    AND number <= (SELECT max(number) FROM notices) - 100`

/** A gateway may report of what it was given as long as a run waits for an answer. */
const IS_UNANSWERED = `EXISTS (SELECT 1 FROM oncall_pages p JOIN oncall_runs r ON r.id = p.run
    WHERE p.message = dispatches.number AND r.ended_at IS NULL)`

/** Returns conditions of the rows of notices that ended and are not of the newest 100, by table, in order. */
const noticesOf = (old: string) => ({
  attempts: `incident IN (SELECT -number FROM dispatches WHERE ${old})`,
  notices: `number IN (SELECT number FROM dispatches WHERE ${old})`,
  dispatches: old,
})

/**
 * Condition of destinations that no incident from `?1` on, no digest and no notice has. The newest is kept, so that no number is
 * given twice.
 */
const UNUSED = `code IN (SELECT o.code FROM destinations o
    WHERE o.target <> '' AND o.used < ?1 AND o.open_since IS NULL AND o.code < (SELECT max(code) FROM destinations)
      AND NOT EXISTS (SELECT 1 FROM bundles b WHERE b.destination = o.code)
      AND NOT EXISTS (SELECT 1 FROM dispatches d WHERE d.incident = 0 AND d.kind IN (${KIND.notice}, ${KIND.digest}) AND d.destination = o.code)
    ORDER BY o.code LIMIT 256)`

/** Conditions of the rows deleted for their age, by table. `?1`: now, epoch milliseconds; `?2`: rows at most. */
export const EXPIRED = {
  silences: `id IN (SELECT id FROM silences WHERE ended_at < ?1 - ${SILENCE_MS} AND releasing IS NULL ORDER BY ended_at LIMIT ?2)
    AND id NOT IN (SELECT id FROM silences WHERE ended_at IS NOT NULL AND origin NOT IN ('cause', 'answer') ORDER BY ended_at DESC LIMIT 1000)
    OR id IN (SELECT id FROM silences WHERE origin IN ('cause', 'answer') AND ended_at < ?1 - ${CAUSED_MS} AND releasing IS NULL ORDER BY ended_at LIMIT ?2)`,
  rules: `name IN (SELECT name FROM rules WHERE last_at < ?1 - ${RULE_MS} AND name <> '${ANY_RULE}' LIMIT ?2)`,
  idempotency: `age IN (SELECT age FROM idempotency ORDER BY age LIMIT ?2) AND created_at <= ?1 - ${KEY_TTL_MS}`,
} as const

/** As `EXPIRED`, while the history of problems is kept. */
export const EXPIRED_HISTORY = {
  notes: `id IN (SELECT id FROM notes WHERE ?1 > 0 AND id <= (SELECT max(id) FROM notes) - 10000 ORDER BY id LIMIT ?2)`,
  changes: `id IN (SELECT id FROM changes WHERE at < ?1 - ${SILENCE_MS} OR id <= (SELECT max(id) FROM changes) - 10000 ORDER BY id LIMIT ?2)`,
} as const

/** Overrides that are over, and shifts, are known for so long. */
const ONCALL_MS = 400 * 24 * 3_600_000

/** As `EXPIRED`, while schedules of on-call are configured. */
export const EXPIRED_SCHEDULES = {
  oncall_overrides: `id IN (SELECT id FROM oncall_overrides WHERE until_at < ?1 - ${ONCALL_MS} ORDER BY until_at LIMIT ?2)`,
  oncall_shifts: `(schedule, from_at) IN (SELECT schedule, from_at FROM oncall_shifts WHERE until_at < ?1 - ${ONCALL_MS} ORDER BY from_at LIMIT ?2)`,
} as const

/**
 * Opens retention: deletes the oldest finished incidents above `maxIncidents` with their rows, payloads and index
 * entries, and what is expired. Finished incidents have a partial index, so unfinished ones are never scanned.
 * Inside `write`.
 */
export function openPrune(context: StoreParts, maxIncidents: number, hasSchedules: boolean) {
  const { db, counts, lanes, now, fulltext, problems, decisions, runs, openings } = context
  const oldest = db.query<{ seq: number }>(
    'SELECT seq FROM incidents WHERE notify_status <> 0 AND oncall_open = 0 ORDER BY seq LIMIT ?',
  )
  const first = db.query<{ seq: number | null }>('SELECT min(seq) AS seq FROM incidents')
  const followUps = db.query<{ destination: number; rank: number; state: number }>(
    `DELETE FROM dispatches WHERE ${OWNED.dispatches} AND kind = ${KIND['follow-up']} RETURNING destination, rank, state`,
  )
  const owned = Object.entries(OWNED).map(([table, where]) => db.command(`DELETE FROM ${table} WHERE ${where}`))
  const conditions = { ...EXPIRED, ...(hasSchedules && EXPIRED_SCHEDULES), ...(openings && EXPIRED_HISTORY) }
  const expired = Object.entries(conditions).map(([table, where]) => db.change(`DELETE FROM ${table} WHERE ${where}`))

  const notices = Object.entries(noticesOf(runs ? `${OLD_NOTICE} AND NOT ${IS_UNANSWERED}` : OLD_NOTICE)).map(
    ([table, where]) => db.command(`DELETE FROM ${table} WHERE ${where}`),
  )
  const removeDecisions = db.commandList((places) => `DELETE FROM decisions WHERE stored <= 0 AND id IN (${places})`)
  const removeUnused = db.query<{ code: number }>(`DELETE FROM destinations WHERE ${UNUSED} RETURNING code`)
  const { refreshNextDue } = openQueues(context)
  const pruneProblems = openPruneProblems(context)
  const prunePages = openPrunePages(context)
  const pruneBundles = openPruneBundles(context)
  const pruneRuns = runs && openPruneRuns(context)

  /** The lines in threads and the edits of a message go with its incident. */
  function removeFollowUps(run: Run): void {
    for (const { destination, rank, state } of followUps.all(run.first, run.last)) {
      const kind = followUpQueue(rank)
      queueOf(counts, kind, destination)[state === STATE.sending ? 'sending' : 'pending']--
      refreshNextDue(kind, destination)
    }
  }

  function pruneDestinations(): void {
    // Silences count what they hold from each, and are not searched.
    if (counts.lanes.length === DESTINATIONS.length || counts.silences.active.length + counts.releasing.length > 0)
      return
    const before = (first.get()?.seq ?? counts.appliedUpTo) - USED_STEP
    lanes.deleted(new Set(removeUnused.all(before).map(({ code }) => code)))
  }

  /**
   * Deletes at most `maxRows` of the oldest finished incidents beyond `maxIncidents`, and, with what is left of
   * `maxRows`, expired idempotency keys; returns the number of rows. Turns that apply do so now and then by themselves.
   */
  return function prune(maxRows: number): number {
    pruneProblems(maxRows)
    for (const rows of notices) rows.run()
    prunePages()
    pruneBundles()
    pruneRuns?.(maxRows)
    const prunedOpenings = openings?.prune(maxRows) ?? 0
    const seqs = oldest.all(Math.max(0, Math.min(counts.finished - maxIncidents, maxRows))).map((row) => row.seq)
    // The opening adds incidents to their problems again that are not written.
    if ((seqs.at(-1) ?? 0) > counts.problems.through) problems.flush()
    for (const run of runsOf(seqs)) {
      fulltext.remove(run.first, run.last)
      removeDecisions(decisions.forget(run.first, run.last))
      removeFollowUps(run)
      for (const rows of owned) rows.run(run.first, run.last)
    }
    if (seqs.length > 0) pruneDestinations()
    counts.incidents -= seqs.length
    counts.finished -= seqs.length
    return expired.reduce((rows, each) => rows + each.run(now(), maxRows - seqs.length), seqs.length + prunedOpenings)
  }
}

/** Problems that are kept; above it those that ended first are deleted, then those that fire without news. */
const MAX_PROBLEMS = 50_000
/** Problems that ended longer ago are deleted. */
const PROBLEM_MS = 30 * 24 * 3_600_000
/** Old problems that are deleted at once. */
const STEP = 256

/**
 * Deletes problems with what destinations and the pager know of them. Those of which a silence holds something stay until its
 * end, and those with a page until that goes, or they are old.
 */
function openPruneProblems({ db, counts, now, problems, tellings, pages, runs }: StoreParts) {
  const oldest = db.query<object>('SELECT 1 FROM problems WHERE state = ? AND brief = ? AND last_at < ? LIMIT 1')
  const removeWhere = (condition: string) =>
    db.query<
      Pick<ProblemRow, 'id' | 'fingerprint' | 'state'>
    >(`DELETE FROM problems WHERE id IN (SELECT id FROM problems WHERE state = ? AND brief = ? AND last_at < ? AND flap_over_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM tellings t WHERE t.problem = problems.id AND t.held IS NOT NULL)
         ${condition} ORDER BY last_at LIMIT ?)
       RETURNING id, fingerprint, state`)
  const removeOld = removeWhere('')
  const hasNoRun =
    runs === undefined
      ? ''
      : "AND NOT EXISTS (SELECT 1 FROM oncall_runs r WHERE r.problem = problems.id AND r.ended_at IS NULL AND (r.due_at IS NOT NULL OR r.phase = 'held'))"
  const removeExcess = removeWhere(`AND NOT EXISTS (SELECT 1 FROM pages p WHERE p.problem = problems.id) ${hasNoRun}`)

  /** @param range `before`: epoch milliseconds */
  function removeOldest(remove: typeof removeOld, state: number, range: { before: number; limit: number }): void {
    let { before, limit: left } = range
    for (const kind of ['brief', 'long', 'claimed'] as const) {
      const brief = QUIET_KINDS.indexOf(kind)
      if (oldest.get(state, brief, before) === undefined) continue
      // What the opening adds again has its problem.
      problems.flush()
      tellings.flush()
      const deleted = remove.all(state, brief, before, left)
      left -= deleted.length
      tellings.remove(deleted.map(({ id }) => id))
      for (const { id } of deleted) pages.forget(id)
      problems.deleted(deleted)
    }
  }

  return function pruneProblems(maxRows: number): void {
    removeOldest(removeOld, PROBLEM_STATE.resolved, { before: now() - PROBLEM_MS, limit: STEP })
    for (const state of [PROBLEM_STATE.resolved, PROBLEM_STATE.firing]) {
      const excess = counts.problems.stored - MAX_PROBLEMS
      const range = { before: Number.MAX_SAFE_INTEGER, limit: Math.min(excess, maxRows) }
      if (excess > 0) removeOldest(removeExcess, state, range)
    }
  }
}

/** Runs that are kept, and for how long after their end. */
const MAX_RUNS = 20_000
const RUN_MS = 30 * 24 * 3_600_000

/** Deletes runs that ended long ago, or are too many, with their pages. */
function openPruneRuns({ db, now }: Pick<StoreContext, 'db' | 'now'>): (maxRows: number) => void {
  const ended = db.query<{ id: number; ended_at: number }>(
    `SELECT id, ended_at FROM oncall_runs WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?`,
  )
  const last = db.query<{ id: number | null }>('SELECT max(id) AS id FROM oncall_runs')
  const remove = ['oncall_pages WHERE run', 'oncall_runs WHERE id'].map((rows) =>
    db.commandList((places) => `DELETE FROM ${rows} IN (${places})`),
  )
  return function pruneRuns(maxRows): void {
    const through = (last.get()?.id ?? 0) - MAX_RUNS
    const gone = ended.all(maxRows).filter(({ id, ended_at }) => id <= through || ended_at < now() - RUN_MS)
    if (gone.length > 0) for (const rows of remove) rows(gone.map(({ id }) => id))
  }
}

/** Pages that are kept while the provider, or a person, has them: above it the oldest are forgotten. */
const MAX_PAGES = 50_000

/** Forgets pages. Those of timers and signals to come stay. */
function openPrunePages({ db, counts, pages }: StoreParts) {
  const oldest = db.query<{ problem: number; target: string }>(
    'SELECT problem, target FROM pages WHERE signal_at IS NULL AND timer IS NULL ORDER BY incident LIMIT ?',
  )
  return function prunePages(): void {
    const { pending, sending } = queueOf(counts, 'page', DESTINATION_CODE.oncall)
    const excess = counts.pages - pending - sending - counts.held.timers - MAX_PAGES
    if (excess > 0) for (const { problem, target } of oldest.all(Math.min(excess, STEP))) pages.forget(problem, target)
  }
}

interface Run {
  readonly first: number
  last: number
}

/** Splits numbers into runs without gaps. One statement deletes a run, and no row between two runs. */
function runsOf(ascending: readonly number[]): Run[] {
  const runs: Run[] = []
  for (const seq of ascending) {
    const open = runs.at(-1)
    if (open?.last === seq - 1) open.last = seq
    else runs.push({ first: seq, last: seq })
  }
  return runs
}
