import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { HelperError } from './helper-error.ts'
import { text } from './strings.ts'

const MAX_PATTERN_LENGTH = 1000
const compiled = new LRUCache<string, RE2JS>({ max: 200 })

/** Returns whether the pattern (RE2 syntax) matches anywhere in the text. Takes linear time. */
export function regexMatch(pattern: unknown, value: unknown): boolean {
  return expression(text(pattern)).test(text(value))
}

function expression(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known) return known
  if (pattern.length > MAX_PATTERN_LENGTH) throw new HelperError(`a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  try {
    const fresh = RE2JS.compile(pattern)
    compiled.set(pattern, fresh)
    return fresh
  } catch (error) {
    throw new HelperError(`regexMatch: ${(error as Error).message}`)
  }
}
