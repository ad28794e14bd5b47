import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/**
 * One value of a condition:
 *
 *     literal   the whole text
 *     glob      `*` stands for any characters, `?` for one
 *     regex     between slashes, for RE2; must match the whole text
 */
export interface Pattern {
  readonly kind: 'literal' | 'glob' | 'regex'
  readonly text: string
  matches(value: string): boolean
}

/** The values of one condition. A negated matcher matches what none of its patterns matches. */
export interface Matcher {
  readonly negated: boolean
  readonly patterns: readonly Pattern[]
  /** Never throws. Reads the first 256 characters of a text where a pattern is no literal. */
  matches(value: string): boolean
  /**
   * Returns `matches` for the labels or payload values of one incident, whose number its sender chooses: RE2 reads the
   * first 32 different ones, and the others do not fit.
   */
  forIncident(): (value: string) => boolean
}

/** Bounds the work for one value; titles have 200 characters at most. */
const MAX_COMPARED = 256
/** Bounds the work for one incident: RE2 takes microseconds for one value. */
const MAX_DIFFERENT = 32
const MAX_REMEMBERED = 10_000

/** Results of globs and regular expressions, by matcher and value. */
export class MatchCache {
  /** Takes milliseconds to make, and most conditions need none. */
  #results: LRUCache<string, boolean> | undefined
  #matchers = 0

  /** Returns `matches` with a memory. */
  remember(matches: (value: string) => boolean): (value: string) => boolean {
    const prefix = `${this.#matchers++}:`
    return (value) => {
      this.#results ??= new LRUCache<string, boolean>({ max: MAX_REMEMBERED })
      const key = prefix + value
      const known = this.#results.get(key)
      if (known !== undefined) return known
      const result = matches(value)
      this.#results.set(key, result)
      return result
    }
  }
}

/**
 * Compiles the values of a condition: any of them has to match. A leading `!` negates a value; either all values are
 * negated or none. The empty text matches a field that is absent. Throws an error whose message follows the name of a key.
 */
export function compileMatcher(values: readonly string[], cache: MatchCache): Matcher {
  const negated = values[0]?.startsWith('!') === true
  if (values.some((value) => value.startsWith('!') !== negated))
    throw new Error('mixes values with and without "!": write a rule for each of the two')
  const patterns = values.map((value) => compilePattern(negated ? value.slice(1) : value))
  const literals = new Set(patterns.flatMap((pattern) => (pattern.kind === 'literal' ? [pattern.text] : [])))
  const globs = patterns.filter(isQuick)
  const slow = patterns.flatMap((pattern) =>
    pattern.kind === 'literal' || isQuick(pattern) ? [] : [{ ...pattern, part: needed(pattern) }],
  )
  const isQuickFit = (value: string) => literals.has(value) || (globs.length > 0 && matchesAny(globs, compared(value)))
  const remembered = cache.remember((value) => matchesAny(slow, value))
  // Most values lack the part, and need neither memory nor RE2.
  const isPossible = (value: string) => slow.some(({ part }) => value.includes(part))
  const isSlowFit = (value: string) => isPossible(value) && remembered(value)
  const isFit = (value: string) => isQuickFit(value) || (slow.length > 0 && isSlowFit(compared(value)))
  const matches = (value: string) => isFit(value) !== negated

  function forIncident(): (value: string) => boolean {
    if (slow.length === 0) return matches
    const known = new Map<string, boolean>()
    return (value) => {
      if (isQuickFit(value)) return !negated
      const text = compared(value)
      if (!isPossible(text)) return negated
      if (!known.has(text) && known.size >= MAX_DIFFERENT) return false
      const fit = known.get(text) ?? remembered(text)
      known.set(text, fit)
      return fit !== negated
    }
  }
  return { negated, patterns, matches, forIncident }
}

/** Returns the matcher of values that stand for themselves. */
export function exactMatcher(values: readonly string[]): Matcher {
  const matches = (value: string) => values.includes(value)
  const patterns = values.map((text): Pattern => ({ kind: 'literal', text, matches: (value) => value === text }))
  return { negated: false, patterns, matches, forIncident: () => matches }
}

/** Returns a value of a condition that only this text fits. */
export const exactValue = (text: string): string => (/[*?]|^[!/]/.test(text) ? `/${RE2JS.quote(text)}/` : text)

/** A glob without question marks, which needs no RE2. */
const isQuick = ({ kind, text }: Pattern) => kind === 'glob' && !text.includes('?')

const matchesAny = (patterns: readonly Pattern[], value: string) => patterns.some(({ matches }) => matches(value))

/** Returns a text that everything holds that fits the pattern: of a glob its longest part without wildcards. */
function needed({ kind, text }: Pattern): string {
  if (kind !== 'glob') return ''
  return text.split(/[*?]/).reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

const compared = (value: string) => (value.length > MAX_COMPARED ? value.slice(0, MAX_COMPARED) : value)

function compilePattern(text: string): Pattern {
  if (text.length > 1 && text.startsWith('/') && text.endsWith('/'))
    return { kind: 'regex', text, matches: exactly(compileRegex(text.slice(1, -1))) }
  if (!/[*?]/.test(text)) return { kind: 'literal', text, matches: (value) => value === text }
  const matches = text.includes('?') ? exactly(RE2JS.compile(globSource(text), RE2JS.DOTALL)) : starMatcher(text)
  return { kind: 'glob', text, matches }
}

const exactly = (regex: RE2JS) => (value: string) => regex.testExact(value)

/** Returns the test of a glob whose only wildcards are stars: its parts have to occur in their order. */
function starMatcher(glob: string): (value: string) => boolean {
  const [first = '', ...parts] = glob.split('*')
  const last = parts.pop() ?? ''
  return (value) => {
    const end = value.length - last.length
    if (end < first.length || !value.startsWith(first) || !value.endsWith(last)) return false
    let at = first.length
    for (const part of parts) {
      const found = value.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= end
  }
}

function compileRegex(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`is not a regular expression that RE2 takes (${reason})`)
  }
}

/** Returns the glob as a regular expression in which every other character stands for itself. */
function globSource(glob: string): string {
  return glob.replace(/[*?]|[^*?]+/g, (part) => GLOB_PARTS.get(part) ?? RE2JS.quote(part))
}
const GLOB_PARTS = new Map([
  ['*', '.*'],
  ['?', '.'],
])
