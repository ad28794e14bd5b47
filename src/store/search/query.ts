import { CodedError } from '../../domain/errors.ts'
import { wordsOf } from './words.ts'

/** Words that must stand side by side. */
interface Term {
  readonly words: readonly string[]
  /** The last one need only begin so. */
  readonly isPrefix: boolean
}

/** What somebody looks for: all of its terms. */
export type SearchQuery = readonly Term[]

const MAX_CHARACTERS = 200
const MAX_WORDS = 16
/** A shorter beginning fits so much that looking for it would hold up the disk's only writer. */
const MIN_BEGINNING = 3

/**
 * Words in any order; `"side by side"` in quotes; what is joined by other signs (`db-3.west`) belongs together too. The last word need only
 * be begun, unless it is quoted. Throws `bad_parameter`.
 */
export function parseSearchQuery(text: string): SearchQuery {
  if (text.length > MAX_CHARACTERS) throw bad(`q is longer than ${MAX_CHARACTERS} characters`)
  const deps = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].filter(([part]) => part !== 'AND')
  const terms = deps.flatMap(([, quoted, bare], at): Term[] => {
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

/** In the language of FTS5. Words are letters and digits alone, so nothing in quotes can be taken for an operator. */
export function toFtsMatch(searchQuery: SearchQuery, facets: readonly string[]): string {
  const terms = searchQuery.map(({ words, isPrefix: open }) => `"${words.join(' ')}"${open ? ' *' : ''}`)
  return [...facets.map((facet) => `"${facet}"`), ...terms].join(' AND ')
}

/** Whether a document, as `documentOf` gives it, holds what the question asks for. */
export function matches(document: string, searchQuery: SearchQuery): boolean {
  return searchQuery.every(({ words, isPrefix: open }) => document.includes(` ${words.join(' ')}${open ? '' : ' '}`))
}
