import type { Subject } from '../../../policy/fields.ts'
import type { Problem } from '../../../policy/problem.ts'
import { flapOverAt, MAX_FLAP_MS } from '../../../policy/repeat.ts'
import type { CompiledSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import type { StoreContext } from '../../engine/context.ts'
import { openOverlay } from '../../engine/overlay.ts'
import type { Payloads } from '../../journal/payloads.ts'
import { followers, isFollowed, type LiveSilence, liveSilences } from './live.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './waiting.ts'

type Flapping = Pick<Problem, 'flapScore' | 'flapAt'>
type Follow = (live: LiveSilence, problem: number, subject: Subject | undefined) => unknown

interface ProblemRow extends Omit<SubjectRow, 'seq'> {
  /** Null: retention has deleted the incident. */
  readonly seq: number | null
  readonly problem: number
}

/** Problems that one step looks at. */
const STEP = 512
/** Silences whose causes are kept in memory. */
const CACHED = 2_048

/**
 * Firing problems that keep silences in force: causes of those with `while`, keepers of those until resolved. Memory has their numbers, and a row for each makes them
 * outlive a restart and the incidents that fitted. Changes inside `write`.
 */
export type Causes = ReturnType<typeof openCauses>

export function openCauses({ db, counts, caches, now }: StoreContext, payloads: Pick<Payloads, 'of'>) {
  const ofOne = db.query<{ problem: number }>('SELECT problem FROM causes WHERE silence = ?')
  const insert = db.command('INSERT INTO causes (silence, problem) VALUES (?, ?)')
  const remove = db.command('DELETE FROM causes WHERE silence = ? AND problem = ?')
  const saveQuiet = db.command('UPDATE silences SET quiet_at = ? WHERE id = ?')
  const clear = db.command('DELETE FROM causes WHERE silence = ?')
  const firingWhere = (condition: string) =>
    db.query<ProblemRow>(
      `SELECT ${SUBJECT_COLUMNS}, p.id AS problem FROM problems p LEFT JOIN incidents i ON i.seq = p.last_incident
       WHERE p.id > ? AND ${condition} AND +p.state = 0 ORDER BY p.id LIMIT ${STEP}`,
    )
  const firing = firingWhere('true')
  const firingOne = firingWhere('p.fingerprint = ?')
  /** Each change is written at once, and a rollback forgets all: so a set is changed in place, whatever its size. */
  const known = openOverlay<number, Set<number>>(caches, {
    read: (silence) => new Set(ofOne.all(silence).map(({ problem }) => problem)),
    max: CACHED,
  })
  const problemsOf = (silence: number): Set<number> => known.find(silence) ?? new Set()

  function set(silence: number, problem: number, isCause: boolean): boolean {
    const problems = problemsOf(silence)
    if (problems.has(problem) === isCause) return false
    if (isCause) {
      insert.run(silence, problem)
      problems.add(problem)
    } else {
      remove.run(silence, problem)
      problems.delete(problem)
    }
    return true
  }

  /** Silences of which something changed are looked at by the next turn. */
  function due(changed: (live: LiveSilence) => Partial<LiveSilence>): void {
    counts.silences = liveSilences(counts.silences.all.map((live) => ({ ...live, ...changed(live) })))
  }

  function withQuiet(live: LiveSilence, next: (quietAt: number) => number): LiveSilence {
    const { settings, window } = live
    if (!settings.untilResolved || window === undefined) return live
    const quietAt = next(window.quietAt ?? 0)
    saveQuiet.run(quietAt, live.id)
    return { ...live, window: { ...window, quietAt } }
  }

  function quieter(live: LiveSilence, problem: Flapping | undefined): LiveSilence {
    // A time of a clock that was set back meanwhile is bounded.
    const steadyAt = problem === undefined ? 0 : Math.min(flapOverAt(problem), now() + MAX_FLAP_MS)
    return withQuiet(live, (quietAt) => Math.max(quietAt, now(), steadyAt))
  }

  return {
    /** Returns the windows of a silence as its causes allow them: active only while one fires; and whether a keeper fires. */
    bound(silence: number, settings: SilenceSettings, compiled: CompiledSilence): CompiledSilence {
      if (settings.untilResolved) return { ...compiled, isKept: () => problemsOf(silence).size > 0 }
      if (settings.while === undefined) return compiled
      return {
        ...compiled,
        windowAt(at) {
          const { active, until } = compiled.windowAt(at)
          return { active: active && settings.equal === undefined && problemsOf(silence).size > 0, until }
        },
      }
    },
    /** A problem causes a silence, or does not. Returns whether that is new. */
    set,
    /** Returns the problems that keep a silence in force. */
    of: problemsOf,
    /** A cause of the silence fires. */
    has: (silence: number): boolean => problemsOf(silence).size > 0,
    /**
     * Looks at the problems that fire, all of which are written, above a number, for the causes of a silence. `follow` takes the
     * newest incident; undefined: the problem does not fire. Returns the number to go on from; undefined: all are found.
     */
    find(live: LiveSilence, after: number, follow: Follow): number | undefined {
      const { problem: own } = live.settings
      const rows = own === undefined ? firing.all(after) : firingOne.all(after, own.fingerprint)
      const through = rows.length < STEP ? undefined : rows.at(-1)?.problem
      const ended = new Set(problemsOf(live.id))
      for (const problem of ended) if (problem <= after || problem > (through ?? Infinity)) ended.delete(problem)
      for (const { seq, problem, ...row } of rows) {
        if (seq !== null) follow(live, problem, subjectOf({ ...row, seq }, payloads))
        else if (own !== undefined) set(live.id, problem, true)
        ended.delete(problem)
      }
      for (const problem of ended) follow(live, problem, undefined)
      return through
    },
    /** Returns a silence whose keeper ceased to be one: its quiet begins when that does not flap either. */
    quieter,
    /** A problem ended without an incident, or was deleted: the next look at its silences is due. */
    ended(problem: Flapping & Pick<Problem, 'id' | 'fingerprint'>): void {
      const { id, fingerprint } = problem
      // A cause of a child is one of its silence too.
      if (!followers(counts.silences, fingerprint).some((live) => problemsOf(live.id).has(id))) return
      const isAbout = ({ settings: { problem: own } }: LiveSilence) =>
        own === undefined || own.fingerprint === fingerprint
      const isItsOwn = (live: LiveSilence) =>
        (live.settings.while !== undefined || live.settings.untilResolved) && isAbout(live)
      due((live) => (isItsOwn(live) && set(live.id, id, false) ? { ...quieter(live, problem), edgeAt: now() } : {}))
    },
    /** Problems of older incidents changed: causes are to be found again. */
    unknown(): void {
      if (!counts.silences.all.some(({ settings }) => isFollowed(settings))) return
      due((live) => (isFollowed(live.settings) ? { edgeAt: now(), causesAfter: 0 } : {}))
    },
    /** Moves times of quiet with the machine's clock; then all silences have to be looked at. */
    shift(byMs: number): void {
      if (counts.silences.active.some(({ settings }) => settings.untilResolved))
        due((live) => withQuiet(live, (quietAt) => quietAt + byMs))
    },
    /** The silence has ended. */
    clear(silence: number): void {
      clear.run(silence)
      known.keep(silence, new Set())
    },
  }
}
