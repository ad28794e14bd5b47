import type { SilenceSettings } from '../../policy/silences/settings.ts'
import { isObject } from '../../text/json-object.ts'
import type { LocatedIssue } from '../config-error.ts'
import { type Issue, type Lookup, list } from '../issue.ts'
import { valueAt } from '../messages.ts'

/** Yields the errors of silences that only the rest of the configuration shows. */
export function* silenceIssues(get: Lookup): Generator<Issue> {
  const names = new Map<unknown, number>()
  for (const [at, silence] of list(get('silences')).entries()) {
    const name = valueAt(silence, ['name'])
    const earlier = names.get(name)
    if (earlier !== undefined)
      yield { path: ['silences', at, 'name'], message: `is also the name of silences.${earlier}: give each its own` }
    names.set(name, at)
    for (const path of [['match'], ['while', 'match']]) {
      const match = valueAt(silence, path)
      for (const [field, value] of Object.entries(isObject(match) ? match : {}))
        if (value === undefined || value === null)
          yield {
            path: ['silences', at, ...path, field],
            message: 'is empty: write "" for incidents without it, or delete the key',
          }
    }
  }
}

/** Yields warnings about silences that work and are probably not meant. `now`: epoch milliseconds. */
export function* silenceWarnings(silences: readonly SilenceSettings[], now: number): Generator<LocatedIssue> {
  for (const [at, { where, name, endsAt }] of silences.entries())
    if (endsAt <= now) yield { where, path: ['silences', at], message: `${name} is over and has no effect: delete it` }
}
