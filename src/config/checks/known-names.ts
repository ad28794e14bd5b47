import { isObject } from '../../text/json-object.ts'
import { dotted, empty, type Issue, type Lookup, type Path, valueAt } from '../config-error.ts'
import { suggest } from '../suggest.ts'

/** Returns the names of the other destinations of a section, `alert.<channel>` or `oncall.<provider>`. */
export function otherNames(section: string, get: Lookup): string[] {
  const found = get(section)
  const keys = Object.keys(isObject(found) ? found : {}).filter((key) => key.startsWith('other_'))
  return keys.flatMap((key) => namesOf(get, `${section}.${key}`))
}

/** Yields an issue when a text is none of the names. */
export function* known(path: Issue['path'], name: unknown, names: readonly string[], kind = 'another destination') {
  if (typeof name !== 'string' || names.includes(name)) return
  const nearest = suggest(name, names)
  const advice = nearest === undefined ? choice(names) : `; did you mean "${nearest}"?`
  yield { path, message: `${JSON.stringify(name)} is not the name of ${kind}${advice}` }
}
const choice = (names: readonly string[]) =>
  names.length > 0 ? `; known: ${names.join(', ')}` : '; none is configured'

/** Yields an issue for each entry of a list that has the name, or another key, of an earlier one. */
export function* repeated(path: Path, entries: readonly unknown[], key = 'name'): Generator<Issue> {
  const seen = new Map<unknown, number>()
  for (const [at, entry] of entries.entries()) {
    const given = valueAt(entry, [key])
    if (empty(given)) continue
    // A UUID is the same in both cases.
    const value = key === 'uuid' ? String(given).toLowerCase() : given
    const earlier = seen.get(value)
    if (earlier !== undefined)
      yield { path: [...path, at, key], message: `is also the ${key} of ${dotted(path)}.${earlier}: give each its own` }
    seen.set(value, at)
  }
}

/** Returns the keys of the map at a path. */
export function namesOf(get: Lookup, path: string): string[] {
  const found = get(path)
  return isObject(found) ? Object.keys(found) : []
}
