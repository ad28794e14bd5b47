import { CodedError } from '../../domain/errors.ts'
import { wordsOf } from './words.ts'

/** Words that must stand side by side. */
interface Term {
  readonly words: readonly string[]
  /** The last one need only begin so. */
  readonly open: boolean
}

/** What somebody looks for: all of its terms. */
export type Question = readonly Term[]

const MAX_CHARACTERS = 200
const MAX_WORDS = 16
/** A shorter beginning fits so much that looking for it would hold up the disk's only writer. */
const MIN_BEGINNING = 3

/**
 * Words in any order; `"side by side"` in quotes; what is joined by other signs (`db-3.west`) belongs together too. The last word need only
 * be begun, unless it is quoted. Throws `bad_parameter`.
 */
export function questionOf(text: string): Question {
  if (text.length > MAX_CHARACTERS) throw bad(`q is longer than ${MAX_CHARACTERS} characters`)
  const parts = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].filter(([part]) => part !== 'AND')
  const terms = parts.flatMap(([, quoted, bare], at): Term[] => {
    const words = wordsOf(quoted ?? bare ?? '')
    const beginning = quoted === undefined && at === parts.length - 1 && (words.at(-1)?.length ?? 0) >= MIN_BEGINNING
    return words.length === 0 ? [] : [{ words, open: beginning }]
  })
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)
  if (words === 0) throw bad('q holds no letter and no digit to look for')
  if (words > MAX_WORDS) throw bad(`q holds more than ${MAX_WORDS} words`)
  return terms
}

const bad = (says: string) => new CodedError('bad_parameter', says)

/** In the language of FTS5. Words are letters and digits alone, so nothing in quotes can be taken for an operator. */
export function matchOf(question: Question, marks: readonly string[]): string {
  const terms = question.map(({ words, open }) => `"${words.join(' ')}"${open ? ' *' : ''}`)
  return [...marks.map((mark) => `"${mark}"`), ...terms].join(' AND ')
}

/** Whether a document, as `documentOf` gives it, holds what the question asks for. */
export function holds(document: string, question: Question): boolean {
  return question.every(({ words, open }) => document.includes(` ${words.join(' ')}${open ? '' : ' '}`))
}
