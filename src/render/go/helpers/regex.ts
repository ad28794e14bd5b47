import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { HelperFault } from './fault.ts'
import { text } from './strings.ts'

const LONGEST_PATTERN = 1000
const compiled = new LRUCache<string, RE2JS>({ max: 200 })

/** Whether the pattern is found anywhere in the text; linear in the text. */
export function regexMatch(pattern: unknown, value: unknown): boolean {
  return expression(text(pattern)).test(text(value))
}

function expression(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known) return known
  if (pattern.length > LONGEST_PATTERN) throw new HelperFault(`a pattern may have ${LONGEST_PATTERN} characters`)
  try {
    const fresh = RE2JS.compile(pattern)
    compiled.set(pattern, fresh)
    return fresh
  } catch (error) {
    throw new HelperFault(`regexMatch: ${(error as Error).message}`)
  }
}
