import type { Subject } from '../../../policy/fields.ts'
import { childOf, keyOf } from '../../../policy/silences/equal.ts'
import type { EqualValues, SilenceSettings } from '../../../policy/silences/settings.ts'
import { withoutNul } from '../../engine/statement.ts'
import type { StoreParts } from '../../parts.ts'
import { followers, type LiveSilence } from './live.ts'

/** Children of all silences together. */
const MAX_CHILDREN = 1_000

interface CausedDeps {
  /** Puts a changed silence in the place of the live one, and returns it. */
  set(live: LiveSilence): LiveSilence
  /** Opens and closes the windows of a silence up to now. */
  settle(live: LiveSilence): void
  /** Adds a child; returns its number. */
  add(settings: SilenceSettings): number
}

/**
 * Opens the following of causes. A silence with `equal` has a child for each set of values of its causes, which ends with
 * the last one. Inside `write`.
 */
export function openCaused({ counts, now, causes, problems }: StoreParts, deps: CausedDeps) {
  const { set, settle } = deps
  const find = (id: number) => counts.silences.find(id)

  /**
   * A window without a cause ends with the next turn, so a cause that ends and begins again costs at most one window a
   * turn.
   */
  function moved(id: number): void {
    const live = find(id)
    if (live === undefined) return
    if (live.window === undefined && live.compiled.windowAt(now()).active) settle(live)
    else set(live)
  }

  function childFor({ id, settings }: LiveSilence, values: EqualValues): number | undefined {
    const known = counts.silences.children.get(id)?.get(keyOf(values))
    if (known !== undefined) return known.id
    const child = counts.silences.childCount < MAX_CHILDREN ? childOf(id, settings, values) : undefined
    return child && deps.add(child)
  }

  function setCause(silence: number, problem: number, isCause: boolean): void {
    if (causes.set(silence, problem, isCause)) moved(silence)
  }

  function followChildren(live: LiveSilence, problem: number, all: readonly EqualValues[]): void {
    const isChanged = causes.set(live.id, problem, all.length > 0)
    if (!isChanged && all.length === 0) return
    const keys = new Set(all.map(keyOf))
    for (const [key, { id }] of counts.silences.children.get(live.id) ?? [])
      if (!keys.has(key)) setCause(id, problem, false)
    for (const values of all) {
      const child = childFor(live, values)
      if (child !== undefined) setCause(child, problem, true)
    }
  }

  /** Follows one problem; `subject` undefined: it does not fire. Returns whether it began or ended to cause the silence. */
  function followOne(live: LiveSilence, problem: number, subject: Subject | undefined): boolean {
    if (live.settings.equal === undefined) {
      const isCause = subject !== undefined && live.compiled.isCause(subject)
      const isNew = causes.set(live.id, problem, isCause)
      if (isNew && !isCause) set(causes.quieter(find(live.id) ?? live, problems.numbered(problem)))
      return isNew
    }
    followChildren(live, problem, subject === undefined ? [] : live.compiled.causeValues(subject))
    return false
  }

  /**
   * Finds some of what keeps a silence in force among the problems that fire, and returns the silence as it is then. Of one
   * until resolved that is about to begin it finds all, because the answer to the request says whether there is any.
   */
  function findSome(live: LiveSilence): LiveSilence {
    if (live.causesAfter === undefined) return live
    problems.flush()
    const causesAfter = causes.find(live, live.causesAfter, followOne)
    const next = set({ ...(find(live.id) ?? live), causesAfter })
    return next.settings.untilResolved && next.window === undefined ? findSome(next) : next
  }

  return {
    /** Follows the newest incident of a problem, which is about to be applied. */
    follow(subject: Subject, incident: number, problem: number): void {
      // Those among older ones are followed later: then causes are found again.
      if (incident <= counts.appliedUpTo) return
      const fingerprint = withoutNul(subject.fingerprint)
      const fires = problems.fires(fingerprint)
      for (const live of followers(counts.silences, fingerprint))
        if (followOne(live, problem, fires ? subject : undefined)) moved(live.id)
    },
    find: findSome,
  }
}
