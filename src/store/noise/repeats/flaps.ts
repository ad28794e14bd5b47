import type { Problem } from '../../../policy/problem.ts'
import { type Flap, type FlapFacts, flapOverAt, flapWith, MAX_FLAP_MS, type News } from '../../../policy/repeat.ts'
import type { StoreContext } from '../../engine/context.ts'
import { command, query } from '../../engine/statement.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Problems } from '../../problems/problems.ts'
import type { FlapRules } from './rules.ts'

/** Problems that flap at once; further ones are told like any other. */
const MAX_FLAPS = 10_000
/** Problems whose flapping one turn ends. */
const STEP = 64

interface FlapRow extends Omit<Flap, 'members'> {
  readonly fingerprint: string
  /** JSON. */
  readonly members: string | null
}

type FlapAlert = FlapFacts & Pick<Problem, 'fingerprint'>

/** An incident of a problem that flaps. */
export interface FlapArrival {
  /** When it began to flap, epoch milliseconds. */
  readonly since: number
  /** Why it is more than a change of the state. */
  readonly news: News | undefined
}

interface FlapDeps {
  readonly rules: FlapRules
  readonly problems: Pick<Problems, 'find'>
  readonly escalations: Pick<Escalations, 'resolve'>
  /** Called when a problem does not flap any more. */
  ended(fingerprint: string): void
}

/** Problems that flap, in memory and on disk. Inside `write`, except `look`. */
export interface Flaps {
  readonly isEnabled: boolean
  /**
   * Adds an incident. `problem`: without it, undefined: unknown. Returns undefined when the problem does not flap.
   */
  arrive(alert: FlapAlert, problem: Problem | undefined): FlapArrival | undefined
  /** Answers as `arrive` does, and changes nothing. */
  look(alert: FlapAlert, problem: Problem | undefined): FlapArrival | undefined
  /** Ends what is over, and resolves its pages; bounded. */
  end(): OncallChange[]
  /** Reads the counts from disk and bounds times of a wrong clock; switched off, all of it is over. */
  load(): void
  shift(byMs: number): void
  rollback(): void
}

export function openFlaps({ db, counts, now }: StoreContext, deps: FlapDeps): Flaps {
  const { rules, problems, escalations, ended } = deps
  const all = query<FlapRow>(db, 'SELECT fingerprint, since, over_at AS "overAt", level, members FROM flaps')
  const save = command(
    db,
    `INSERT INTO flaps (fingerprint, since, over_at, level, members) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (fingerprint) DO UPDATE SET over_at = excluded.over_at, level = excluded.level, members = excluded.members`,
  )
  const remove = command(db, 'DELETE FROM flaps WHERE fingerprint = ?')
  const bound = command(db, 'UPDATE flaps SET over_at = ?1 WHERE over_at > ?1')
  const move = command(db, 'UPDATE flaps SET over_at = over_at + ?')
  /** Undefined: not read since the start or a failed transaction. */
  let known: Map<string, Flap> | undefined

  function flaps(): Map<string, Flap> {
    known ??= new Map(all.all().map(({ fingerprint, ...row }) => [fingerprint, flapOf(row)]))
    return known
  }

  function write(fingerprint: string, flap: Flap): void {
    const { since, overAt, level, members } = flap
    save.run(fingerprint, since, overAt, level, members === null ? null : JSON.stringify(members))
    flaps().set(fingerprint, flap)
    counts.flapsDueAt = Math.min(counts.flapsDueAt, overAt)
  }

  function step(alert: FlapAlert, problem: Problem | undefined) {
    if (!rules.enable) return undefined
    const was = flaps().get(alert.fingerprint)
    if (was === undefined && flaps().size >= MAX_FLAPS) return undefined
    const next = flapWith(was, problem, alert)
    // A backlog may be applied when it is over already.
    if (next === undefined || (was === undefined && next.flap.overAt <= now())) return undefined
    return { was, ...next }
  }

  /** A person may have changed its state meanwhile. Retention forgets problems that are resolved. */
  function endOne(fingerprint: string, flap: Flap): OncallChange[] {
    const problem = problems.find(fingerprint)
    const overAt = problem !== undefined && problem.flapAt <= now() ? flapOverAt(problem) : flap.overAt
    if (rules.enable && overAt > now()) {
      write(fingerprint, { ...flap, overAt })
      return []
    }
    remove.run(fingerprint)
    flaps().delete(fingerprint)
    ended(fingerprint)
    // The end by quiet tells the pager nothing, whether or not the problem flaps.
    const isResolved = problem?.state !== 'firing' && problem?.endedBy !== 'quiet'
    return isResolved ? escalations.resolve(fingerprint) : []
  }

  const refresh = () => {
    counts.flapsDueAt = Math.min(Infinity, ...Array.from(flaps().values(), ({ overAt }) => overAt))
  }

  return {
    isEnabled: rules.enable,
    arrive(alert, problem) {
      const next = step(alert, problem)
      if (next === undefined) return undefined
      const { was, flap, news } = next
      if (was === undefined || !isSame(was, flap)) write(alert.fingerprint, flap)
      return { since: flap.since, news }
    },
    look(alert, problem) {
      const next = step(alert, problem)
      return next && { since: next.flap.since, news: next.news }
    },
    end() {
      if (counts.flapsDueAt > now()) return []
      const due = [...flaps()].filter(([, { overAt }]) => overAt <= now()).slice(0, STEP)
      const changes = due.flatMap(([fingerprint, flap]) => endOne(fingerprint, flap))
      refresh()
      return changes
    },
    load() {
      bound.run(rules.enable ? now() + MAX_FLAP_MS : 0)
      known = undefined
      refresh()
    },
    shift(byMs) {
      if (counts.flapsDueAt === Infinity) return
      move.run(byMs)
      known = undefined
      counts.flapsDueAt += byMs
    },
    rollback() {
      known = undefined
    },
  }
}

const flapOf = ({ members, ...row }: Omit<FlapRow, 'fingerprint'>): Flap => ({
  ...row,
  members: members === null ? null : (JSON.parse(members) as string[]),
})

const isSame = (a: Flap, b: Flap) => a.overAt === b.overAt && a.level === b.level && a.members === b.members
