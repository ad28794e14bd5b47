import { CodedError } from '../../domain/errors.ts'
import type { SearchTerm } from '../engine/sql.ts'
import { wordsOf } from './words.ts'

/** All terms must match. */
export type SearchQuery = readonly SearchTerm[]

const MAX_CHARACTERS = 200
const MAX_WORDS = 16
/** A shorter prefix matches so much that the search would hold up turns. */
const MIN_BEGINNING = 3

/**
 * Parses a search. Words match in any order; words in quotes (`"disk full"`), and words joined by other signs
 * (`db-3.west`), must be adjacent. The last word is a prefix unless it is quoted. Throws `bad_parameter`.
 */
export function parseSearchQuery(text: string): SearchQuery {
  if (text.length > MAX_CHARACTERS) throw bad(`q is longer than ${MAX_CHARACTERS} characters`)
  const deps = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].filter(([part]) => part !== 'AND')
  const terms = deps.flatMap(([, quoted, bare], at): SearchTerm[] => {
    const words = wordsOf(quoted ?? bare ?? '')
    const beginning = quoted === undefined && at === deps.length - 1 && (words.at(-1)?.length ?? 0) >= MIN_BEGINNING
    return words.length === 0 ? [] : [{ words, isPrefix: beginning }]
  })
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)
  if (words === 0) throw bad('q holds no letter and no digit to look for')
  if (words > MAX_WORDS) throw bad(`q holds more than ${MAX_WORDS} words`)
  return terms
}

const bad = (message: string) => new CodedError('bad_parameter', message)

/** True when a text of `documentOf` matches all terms. */
export function matches(document: string, searchQuery: SearchQuery): boolean {
  return searchQuery.every(({ words, isPrefix: open }) => document.includes(` ${words.join(' ')}${open ? '' : ' '}`))
}
