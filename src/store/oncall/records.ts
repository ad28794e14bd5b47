import type { RunList, RunRecord } from '../../api/oncall/run.ts'
import type { Run } from '../../policy/oncall/run-state.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import { stateName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Problems } from '../problems/problems.ts'
import type { PageRow } from './page-rows.ts'
import type { StoredRun } from './run-rows.ts'
import type { Runs } from './runs.ts'

const MAX_RUNS = 200
/** Runs of one problem that its record has. */
const OF_PROBLEM = 5

export type RunsState = ReturnType<ReturnType<typeof openRunRecords>['state']>

/** Opens the reads of runs. */
export function openRunRecords({ db }: StoreContext, runs: Runs, problems: Pick<Problems, 'numbered'>) {
  const { rules, rows, pageRows, unanswered } = runs
  const latest = db.query<{ id: number }>('SELECT id FROM oncall_runs WHERE problem = ? ORDER BY id DESC LIMIT ?')
  const open = db.query<{ id: number }>('SELECT id FROM oncall_runs WHERE ended_at IS NULL ORDER BY id DESC LIMIT ?')
  const newest = db.query<{ id: number }>('SELECT id FROM oncall_runs ORDER BY id DESC LIMIT ?')

  function wayOf({ person, way }: PageRow): string | null {
    const found = person === null || way === null ? undefined : rules.people.get(person)?.ways[way]
    if (found === undefined) return null
    return found.kind === 'channel' ? found.channel : found.kind === 'gateway' ? found.gateway : 'provider'
  }

  function record({ id, problem, plan, run, ...stored }: StoredRun): RunRecord {
    const { title = '', severity = '' } = problems.numbered(problem) ?? {}
    return {
      ...{ id, problem, title, severity, escalation: plan.name, phase: run.phase },
      began_at: isoTime(stored.beganAt),
      next_at: isoTimeOrNull(run.dueAt ?? null),
      acked_by: run.ack === undefined ? null : (rules.people.get(run.ack.by)?.name ?? run.ack.by),
      ended_at: isoTimeOrNull(stored.endedAt),
      ended_by: stored.endedBy,
      pages: pageRows.ofRun(id).map((page) => ({
        ...{ round: page.round, step: page.step + 1, target: page.target, because: page.because, person: page.person },
        ...{ way: wayOf(page), state: stateName(page.state), late_ms: page.late_ms, detail: page.detail },
        planned_at: isoTime(page.planned_at),
        due_at: stateName(page.state) === 'pending' ? isoTimeOrNull(page.due_at) : null,
        told_at: isoTimeOrNull(page.told_at),
        settled_at: isoTimeOrNull(page.settled_at),
      })),
    }
  }

  const recordsOf = (ids: readonly { readonly id: number }[]) =>
    ids.flatMap(({ id }) => rows.find(id) ?? []).map(record)

  const phases = db.query<{ phase: Run['phase']; runs: number }>(
    'SELECT phase, count(*) AS runs FROM oncall_runs WHERE ended_at IS NULL GROUP BY phase',
  )

  return {
    /** Snapshot for metrics. */
    state: () => ({
      /** Open runs, without zeros. */
      phases: new Map(phases.all().map(({ phase, runs }) => [phase, runs])),
      /** Runs that nobody answered, since the opening, by the name of the escalation. */
      unanswered: unanswered(),
      /** Ways of people whose last page is dead. */
      waysFailing: pageRows.failing(),
    }),
    /** Returns the latest runs of a problem, the newest first. */
    ofProblem: (problem: number): RunRecord[] => recordsOf(latest.all(problem, OF_PROBLEM)),
    /** Returns open runs, then the newest others. */
    list(): RunList {
      const opened = open.all(MAX_RUNS)
      const others = newest.all(MAX_RUNS).filter(({ id }) => !opened.some((each) => each.id === id))
      return { runs: recordsOf([...opened, ...others].slice(0, MAX_RUNS)), open: rows.openCount() }
    },
  }
}
