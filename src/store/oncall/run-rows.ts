import type { Escalation } from '../../policy/oncall/escalation.ts'
import type { Run } from '../../policy/oncall/run-state.ts'
import type { StoreContext } from '../engine/context.ts'
import { openUndoMap } from '../engine/overlay.ts'
import { PROBLEM_STATE } from '../problems/rows.ts'

/** A run as it is stored. */
export interface StoredRun {
  readonly id: number
  /** Number of the problem. */
  readonly problem: number
  /** The escalation by value. */
  readonly plan: Escalation
  readonly run: Run
  /** Epoch milliseconds. */
  readonly beganAt: number
  readonly endedAt: number | null
  readonly endedBy: string | null
}

interface RunRow {
  readonly id: number
  readonly problem: number
  readonly plan: string
  readonly run: string
  readonly began_at: number
  readonly due_at: number | null
  readonly ended_at: number | null
  readonly ended_by: string | null
}

/** Open runs that an opening reads at once. */
const OPENED = 1_000

export type RunRows = ReturnType<typeof openRunRows>

/** Runs on disk, and in memory the problems that have an open one. Inside `write`. */
export function openRunRows({ db, caches, now }: Pick<StoreContext, 'db' | 'caches' | 'now'>) {
  const ofProblem = db.query<RunRow>('SELECT * FROM oncall_runs WHERE problem = ? AND ended_at IS NULL')
  const one = db.query<RunRow>('SELECT * FROM oncall_runs WHERE id = ?')
  const due = db.query<RunRow>('SELECT * FROM oncall_runs WHERE due_at <= ? ORDER BY due_at, id LIMIT ?')
  const opened = db.query<Pick<RunRow, 'id' | 'problem' | 'due_at' | 'run'> & { suspect: number }>(
    `SELECT r.id, r.problem, r.due_at, r.run, (coalesce(p.state, -1) <> ${PROBLEM_STATE.firing} OR r.phase IN ('held', 'exhausted')) AS suspect
     FROM oncall_runs r LEFT JOIN problems p ON p.id = r.problem
     WHERE r.ended_at IS NULL AND r.problem > ? ORDER BY r.problem LIMIT ${OPENED}`,
  )
  const insert = db.query<RunRow>(
    'INSERT INTO oncall_runs (problem, plan, run, phase, began_at, due_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING *',
  )
  const update = db.command(
    'UPDATE oncall_runs SET plan = ?, run = ?, phase = ?, due_at = ?, ended_at = ?, ended_by = ? WHERE id = ?',
  )
  const next = db.query<{ at: number }>(
    'SELECT due_at AS at FROM oncall_runs WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1',
  )
  const wakeHeld = db.command("UPDATE oncall_runs SET due_at = ? WHERE phase = 'held' AND ended_at IS NULL")
  // Quiet hours and handovers are times of the wall clock.
  const shift = db.command(
    `UPDATE oncall_runs SET due_at = due_at + ? WHERE due_at IS NOT NULL AND phase <> 'exhausted' AND run NOT LIKE '%"quiet":true%'`,
  )
  const remove = db.command('DELETE FROM oncall_runs WHERE problem = ?')
  const exhausted = db.query<{ runs: number; last: number | null }>(
    "SELECT count(*) AS runs, max(id) AS last FROM oncall_runs WHERE phase = 'exhausted'",
  )
  /** Of each problem with an open run, the number of the run. */
  const open = openUndoMap<number, number>(caches)

  function ofRow(row: RunRow): StoredRun {
    const { id, problem, began_at: beganAt, due_at, ended_at: endedAt, ended_by: endedBy } = row
    const run = { ...(JSON.parse(row.run) as Omit<Run, 'dueAt'>), ...(due_at !== null && { dueAt: due_at }) }
    return { id, problem, plan: JSON.parse(row.plan), run, beganAt, endedAt, endedBy }
  }

  return {
    has: (problem: number): boolean => open.get(problem) !== undefined,
    openCount: open.size,
    /** Returns the open run of a problem. Costs no query where there is none. */
    ofProblem(problem: number): StoredRun | undefined {
      const row = open.get(problem) === undefined ? undefined : ofProblem.get(problem)
      return row && ofRow(row)
    },
    find(id: number): StoredRun | undefined {
      const row = one.get(id)
      return row && ofRow(row)
    },
    due: (limit: number): StoredRun[] => due.all(now(), limit).map(ofRow),
    /**
     * Reads which problems have an open run, in steps. Yields the runs that a start may change: all of them, or those whose problem
     * is over, which are held or exhausted, or which wait for longer than their full wait.
     */
    *load(all: boolean): Generator<StoredRun> {
      for (let last = 0; ; ) {
        const rows = opened.all(last)
        for (const { id, problem, due_at, run, suspect } of rows) {
          open.set(problem, id)
          const isSuspect = all || suspect === 1 || (due_at ?? 0) > now() + (JSON.parse(run) as Run).waitMs
          const row = isSuspect ? one.get(id) : undefined
          if (row !== undefined) yield ofRow(row)
        }
        if (rows.length < OPENED) return
        last = rows.at(-1)?.problem ?? last
      }
    },
    add(problem: number, plan: Escalation, { dueAt, ...run }: Run): StoredRun {
      const of = [problem, JSON.stringify(plan), JSON.stringify(run), run.phase, now(), dueAt ?? null] as const
      const stored = ofRow(insert.get(...of) as RunRow)
      open.set(problem, stored.id)
      return stored
    },
    /** `endedBy`: why an ended one has ended. */
    save({ id, problem, plan }: StoredRun, { dueAt, ...run }: Run, endedBy: string | null): void {
      const endedAt = run.phase === 'ended' ? now() : null
      update.run(JSON.stringify(plan), JSON.stringify(run), run.phase, dueAt ?? null, endedAt, endedBy, id)
      if (endedAt !== null) open.set(problem, undefined)
    },
    /** Returns when the next one is due, epoch milliseconds. Costs no query where none is open. */
    nextDueAt: (): number => (open.size() === 0 ? Infinity : (next.get()?.at ?? Infinity)),
    /** Held ones are due. */
    wakeHeld: (): void => wakeHeld.run(now()),
    /** The clock was set. */
    shift: (byMs: number): void => shift.run(byMs),
    /** Returns how many are exhausted, and the latest. */
    exhausted: () => exhausted.get() ?? { runs: 0, last: null },
    /** Deletes those of a problem. */
    forget(problem: number): void {
      remove.run(problem)
      open.set(problem, undefined)
    },
  }
}
