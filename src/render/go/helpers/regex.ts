import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { HelperError } from '../values.ts'
import { text } from './strings.ts'

const MAX_PATTERN_LENGTH = 1000
/** Values without a pattern that parses are kept too. */
const compiled = new LRUCache<string, { readonly expression: RE2JS | null }>({ max: 200 })

/**
 * Returns whether the pattern (RE2 syntax) matches anywhere in the text. Takes linear time. A pattern that does not parse
 * matches nothing.
 */
export function regexMatch(pattern: unknown, value: unknown): boolean {
  return compile(text(pattern))?.test(text(value)) ?? false
}

function compile(pattern: string): RE2JS | null {
  const known = compiled.get(pattern)
  if (known) return known.expression
  if (pattern.length > MAX_PATTERN_LENGTH) throw new HelperError(`a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  const expression = parsed(pattern)
  compiled.set(pattern, { expression })
  return expression
}

function parsed(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return null
  }
}
