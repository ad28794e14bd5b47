import { conditionsOf } from '../../../alertmanager/conditions.ts'
import { parseMatcher } from '../../../alertmanager/matchers.ts'
import type { Path } from '../../../config/config-error.ts'
import type { SentMatcher } from '../../../policy/silences/settings.ts'
import { isObject, type JsonObject } from '../../../text/json-object.ts'
import { plain } from '../receivers.ts'
import type { TakeNote } from '../written.ts'

/** Conditions by field, each with one value. */
export type Match = { readonly [field: string]: string }

/** A place of the file, and what takes notes. */
export interface At {
  readonly path: Path
  readonly note: TakeNote
}

/** Parts of a list such as `{a="b", c=~"d,e"}` between its commas. */
const PART = /(?:"(?:[^"\\]|\\.)*"|[^",])+/gs

const byName = (given: unknown, isRegex: boolean): SentMatcher[] =>
  Object.entries(isObject(given) ? given : {}).map(([name, value]) => ({
    ...{ name, value: String(value), isRegex, isEqual: true },
  }))

/** Readers of the keys with conditions; they throw for what is no matcher. */
const READERS: { readonly [key: string]: (given: unknown) => readonly SentMatcher[] } = {
  match: (given) => byName(given, false),
  match_re: (given) => byName(given, true),
  matchers: (given) =>
    (Array.isArray(given) ? given : [])
      .flatMap(
        (text) =>
          String(text)
            .replace(/^\s*\{|\}\s*$/g, '')
            .match(PART) ?? [],
      )
      .map(parseMatcher),
}

/** Keys of the conditions of a route; those of an inhibition rule begin with `source_` or `target_`. */
type Prefix = '' | 'source_' | 'target_'

/** Returns the conditions of a route; undefined when one cannot be read or has no counterpart, which is noted. */
export function matchOf(route: JsonObject, { path, note }: At, prefix: Prefix = ''): Match | undefined {
  const match: { [field: string]: string } = {}
  for (const [key, read] of Object.entries(READERS))
    try {
      for (const { field, values } of conditionsOf(read(route[prefix + key]))) {
        if (match[field] !== undefined) throw new Error('a rule has one condition on a field')
        match[field] = plain(values[0])
      }
    } catch {
      return void note([...path, prefix + key], 'has no counterpart: write the rule by hand')
    }
  return match
}
