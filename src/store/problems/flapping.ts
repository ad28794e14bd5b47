import type { Flap, Problem, ProblemAlert } from '../../policy/problem.ts'
import { type FlapFacts, type FlapStep, flapOverAt, flapWith, MAX_FLAP_MS } from '../../policy/repeat.ts'
import type { StoreContext } from '../engine/context.ts'
import type { ProblemRows } from './rows.ts'

/** Messages about problems that flap. */
export interface FlapRules {
  /** False: every change of state is a message. */
  readonly enable: boolean
}

/** Problems that flap at once; further ones are told like any other. */
const MAX_FLAPS = 10_000
/** Problems whose flapping one turn ends. */
const STEP = 64

/** Opens what follows from that problems flap. `flush` writes what waits. Inside `write`, except `step`. */
export function openFlapping(
  { db, counts, now }: StoreContext,
  rules: FlapRules,
  rows: Pick<ProblemRows, 'find' | 'set' | 'flush'>,
  flush: () => void,
) {
  const due = db.query<{ fingerprint: string }>(
    `SELECT fingerprint FROM problems WHERE flap_over_at <= ? ORDER BY flap_over_at LIMIT ${STEP}`,
  )
  const first = db.query<{ flap_over_at: number }>(
    'SELECT flap_over_at FROM problems WHERE flap_over_at IS NOT NULL ORDER BY flap_over_at LIMIT 1',
  )
  const count = db.query<{ flapping: number }>(
    'SELECT count(*) AS flapping FROM problems WHERE flap_over_at IS NOT NULL',
  )
  const bound = db.command('UPDATE problems SET flap_over_at = ?1 WHERE flap_over_at > ?1')
  const move = db.command('UPDATE problems SET flap_over_at = flap_over_at + ? WHERE flap_over_at IS NOT NULL')

  /** Returns what an incident is to a problem that flaps; undefined: it does not. `problem`: before the incident. */
  function step(alert: FlapFacts, problem: Problem | undefined): FlapStep | undefined {
    if (!rules.enable) return undefined
    const was = problem?.flap ?? undefined
    if (was === undefined && counts.problems.flapping >= MAX_FLAPS) return undefined
    const next = flapWith(was, problem, alert)
    // A backlog may be applied when it is over already.
    return was === undefined && next !== undefined && next.flap.overAt <= now() ? undefined : next
  }

  function refresh(): void {
    counts.problems.flapsDueAt = first.get()?.flap_over_at ?? Infinity
  }

  return {
    isEnabled: rules.enable,
    step,
    /** Returns the problem after an incident with what this one adds to its flapping. `was`: before the incident. */
    follow(is: Problem, was: Problem | undefined, alert: ProblemAlert): Problem {
      const next = step(alert, was)?.flap
      if (next === undefined) return is
      // The opening may add an incident that was committed while the clock was wrong.
      const flap = { ...next, overAt: Math.min(next.overAt, now() + MAX_FLAP_MS) }
      if (was?.flap && isSame(was.flap, flap)) return is
      counts.problems.flapsDueAt = Math.min(counts.problems.flapsDueAt, flap.overAt)
      if (!was?.flap) {
        counts.problems.flapping++
        // The turn writes that it begins: after a crash the time to begin may be over.
        counts.problems.since = 0
      }
      return { ...is, flap }
    },
    /** Ends what is over, and returns its problems; bounded. */
    end(): Problem[] {
      if (counts.problems.flapsDueAt > now()) return []
      flush()
      const over: Problem[] = []
      for (const { fingerprint } of due.all(now())) {
        const problem = rows.find(fingerprint)
        if (!problem?.flap) continue
        // A person may have changed its state meanwhile.
        const overAt = problem.flapAt <= now() ? flapOverAt(problem) : problem.flap.overAt
        const lasts = rules.enable && overAt > now()
        rows.set({ ...problem, flap: lasts ? { ...problem.flap, overAt } : null })
        if (!lasts) over.push(problem)
      }
      counts.problems.flapping -= over.length
      rows.flush()
      refresh()
      return over
    },
    /** Bounds times of a wrong clock; switched off, all of it is over. */
    load(): void {
      bound.run(rules.enable ? now() + MAX_FLAP_MS : 0)
      counts.problems.flapping = count.get()?.flapping ?? 0
      refresh()
    },
    /** After the problems were written and forgotten. */
    shift(byMs: number): void {
      if (counts.problems.flapping === 0) return
      move.run(byMs)
      counts.problems.flapsDueAt += byMs
    },
  }
}

const isSame = (a: Flap, b: Flap) => a.overAt === b.overAt && a.level === b.level && a.members === b.members
