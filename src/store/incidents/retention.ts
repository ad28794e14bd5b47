import type { StoreContext } from '../engine/context.ts'
import { type Command, command, query } from '../engine/statement.ts'
import type { IdempotencyKeys } from '../journal/idempotency.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Decisions } from '../noise/decisions.ts'
import type { RepeatsOfProblems } from '../noise/repeats/open.ts'
import type { OpenPages } from '../oncall/open-pages.ts'
import type { Problems } from '../problems/problems.ts'
import type { Fulltext } from '../search/fulltext.ts'

/** Columns that hold the number of an incident, by table. The incident itself is deleted last. */
const OWNED = [
  'particulars.seq',
  'dispatches.incident',
  'attempts.incident',
  'threads.incident',
  'oncall.incident',
  'incidents.seq',
] as const

interface PruneDeps {
  readonly fulltext: Pick<Fulltext, 'remove'>
  readonly payloads: Pick<Payloads, 'prune'>
  readonly keys: Pick<IdempotencyKeys, 'prune'>
  readonly problems: Pick<Problems, 'prune'>
  readonly decisions: Pick<Decisions, 'forget' | 'pruneRules'>
  readonly repeats: Pick<RepeatsOfProblems, 'prune'>
  readonly openPages: Pick<OpenPages, 'expire'>
  /** Finished incidents to keep. */
  readonly maxIncidents: number
}

/**
 * Opens retention: deletes the oldest finished incidents above `maxIncidents` with their rows, payloads and index
 * entries, and expired idempotency keys. Finished incidents have a partial index, so unfinished ones are never scanned.
 * Inside `write`.
 */
export function openPrune(
  { db, counts, lanes, now }: StoreContext,
  { fulltext, payloads, keys, problems, decisions, repeats, openPages, maxIncidents }: PruneDeps,
) {
  const oldest = query<{ seq: number }>(
    db,
    'SELECT seq FROM incidents WHERE notify_status <> 0 AND oncall_open = 0 ORDER BY seq LIMIT ?',
  )
  const first = query<{ seq: number | null }>(db, 'SELECT min(seq) AS seq FROM incidents')
  const deletes = OWNED.map((owned) => {
    const [table, column] = owned.split('.')
    return command(db, `DELETE FROM ${table} WHERE ${column} BETWEEN ? AND ?`)
  })

  return function prune(maxRows: number): number {
    problems.prune()
    decisions.pruneRules(now())
    repeats.prune()
    openPages.expire()
    const seqs = oldest.all(Math.max(0, Math.min(counts.finished - maxIncidents, maxRows))).map((row) => row.seq)
    for (const run of runsOf(seqs)) {
      fulltext.remove(run.first, run.last)
      decisions.forget(run.first, run.last)
      remove(deletes, run)
      payloads.prune(run)
    }
    if (seqs.length > 0) lanes.prune(first.get()?.seq ?? counts.appliedUpTo)
    counts.incidents -= seqs.length
    counts.finished -= seqs.length
    return seqs.length + keys.prune(maxRows - seqs.length, now())
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

function remove(deletes: readonly Command[], { first, last }: Run): void {
  for (const rows of deletes) rows.run(first, last)
}
