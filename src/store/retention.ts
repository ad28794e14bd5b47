import type { StoreContext } from './engine/context.ts'
import { change, command, query } from './engine/statement.ts'
import { KEY_TTL_MS } from './journal/idempotency.ts'
import { ANY_RULE, type Decisions } from './noise/decisions.ts'
import type { RepeatsOfProblems } from './noise/repeats/open.ts'
import type { OpenPages } from './oncall/open-pages.ts'
import type { Problems } from './problems/problems.ts'
import type { Fulltext } from './search/fulltext.ts'

/** Rules without a hit for so long are forgotten. */
const RULE_MS = 365 * 24 * 3_600_000

/**
 * Conditions of the rows deleted with the incidents `?1` to `?2`, by table, in order. A batch of `contents` goes when none of
 * its incidents is stored any more.
 */
export const OWNED = {
  particulars: 'seq BETWEEN ?1 AND ?2',
  dispatches: 'incident BETWEEN ?1 AND ?2',
  attempts: 'incident BETWEEN ?1 AND ?2',
  threads: 'incident BETWEEN ?1 AND ?2',
  oncall: 'incident BETWEEN ?1 AND ?2',
  incidents: 'seq BETWEEN ?1 AND ?2',
  contents: `first >= coalesce((SELECT max(first) FROM contents WHERE first <= ?1), 0) AND first <= ?2 AND last >= ?1
    AND NOT EXISTS (SELECT 1 FROM incidents WHERE seq BETWEEN contents.first AND contents.last)`,
} as const

/** Conditions of the rows deleted for their age, by table. `?1`: now, epoch milliseconds; `?2`: rows at most. */
export const EXPIRED = {
  rules: `name IN (SELECT name FROM rules WHERE last_at < ?1 - ${RULE_MS} AND name <> '${ANY_RULE}' LIMIT ?2)`,
  idempotency: `age IN (SELECT age FROM idempotency ORDER BY age LIMIT ?2) AND created_at <= ?1 - ${KEY_TTL_MS}`,
} as const

interface PruneDeps {
  readonly fulltext: Pick<Fulltext, 'remove'>
  readonly problems: Pick<Problems, 'prune' | 'flush'>
  readonly decisions: Pick<Decisions, 'forget'>
  readonly repeats: Pick<RepeatsOfProblems, 'prune'>
  readonly openPages: Pick<OpenPages, 'expire'>
  /** Finished incidents to keep. */
  readonly maxIncidents: number
}

/**
 * Opens retention: deletes the oldest finished incidents above `maxIncidents` with their rows, payloads and index
 * entries, and what is expired. Finished incidents have a partial index, so unfinished ones are never scanned.
 * Inside `write`.
 */
export function openPrune(
  { db, counts, lanes, now }: StoreContext,
  { fulltext, problems, decisions, repeats, openPages, maxIncidents }: PruneDeps,
) {
  const oldest = query<{ seq: number }>(
    db,
    'SELECT seq FROM incidents WHERE notify_status <> 0 AND oncall_open = 0 ORDER BY seq LIMIT ?',
  )
  const first = query<{ seq: number | null }>(db, 'SELECT min(seq) AS seq FROM incidents')
  const owned = Object.entries(OWNED).map(([table, where]) => command(db, `DELETE FROM ${table} WHERE ${where}`))
  const expired = Object.entries(EXPIRED).map(([table, where]) => change(db, `DELETE FROM ${table} WHERE ${where}`))

  return function prune(maxRows: number): number {
    problems.prune()
    repeats.prune()
    openPages.expire()
    const seqs = oldest.all(Math.max(0, Math.min(counts.finished - maxIncidents, maxRows))).map((row) => row.seq)
    // The opening adds incidents to their problems again that are not written.
    if ((seqs.at(-1) ?? 0) > counts.problems.through) problems.flush()
    for (const run of runsOf(seqs)) {
      fulltext.remove(run.first, run.last)
      decisions.forget(run.first, run.last)
      for (const rows of owned) rows.run(run.first, run.last)
    }
    if (seqs.length > 0) lanes.prune(first.get()?.seq ?? counts.appliedUpTo)
    counts.incidents -= seqs.length
    counts.finished -= seqs.length
    return expired.reduce((rows, each) => rows + each.run(now(), maxRows - seqs.length), seqs.length)
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
