import { copyString } from '../copy-string.ts'
import { charClassOf, SEPARATOR } from './char-classes.ts'
import { isCapitals, isErrorWord, isLevel } from './word-classes.ts'

const EQUALS = 61
const COLON = 58
const SPACE = 32
const PAIRS = ['""', "''", '``', '[]', '()', '{}', '<>']

/** The closing bracket or quote by its opening one; `EQUALS` for itself. */
const CLOSING_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const pair = PAIRS.find((each) => each.charCodeAt(0) === code)
  return pair?.charCodeAt(1) ?? (code === EQUALS ? EQUALS : 0)
})
const LIST_MARKS = ' []'
const MAX_LIST_LENGTH = 120
const OPERATORS = Array.from('=!<>+-*', (character) => character.charCodeAt(0))

/** Returns whether a quote, a bracket or an equals sign stands before `start`. */
export function opensValue(text: string, start: number): boolean {
  if (start === 0) return false
  const before = text.charCodeAt(start - 1)
  return before < 128 && CLOSING_OF[before] !== 0
}

/**
 * Returns whether the word from `start` to `end` stands where values stand: alone in quotes or brackets, or after `=`.
 * The name of a field is no value, as in `{"user": "kim"}`.
 */
export function isValuePlace(text: string, start: number, end: number): boolean {
  if (start === 0) return false
  const before = text.charCodeAt(start - 1)
  const closing = before < 128 ? (CLOSING_OF[before] as number) : 0
  if (closing === 0) return false
  if (closing === EQUALS) return start > 1 && !OPERATORS.includes(text.charCodeAt(start - 2))
  return text.charCodeAt(end) === closing && !isFieldName(text, start, end)
}

/** Returns whether the dash at `start` stands for an empty value: alone in quotes or brackets, or in a list in brackets. */
export function isEmptyValue(text: string, start: number): boolean {
  if (isValuePlace(text, start, start + 1)) return true
  if (!LIST_MARKS.includes(text.charAt(start + 1)) || !LIST_MARKS.includes(text.charAt(start - 1))) return false
  const opening = text.lastIndexOf('[', start)
  return opening >= start - MAX_LIST_LENGTH && opening > text.lastIndexOf(']', start)
}

/** Returns whether nothing stands in the quotes or square brackets that open at `at`, and they are no part of a word. */
export function isEmptyPair(text: string, at: number): boolean {
  const opening = text.charCodeAt(at)
  if (text.charCodeAt(at + 1) !== CLOSING_OF[opening] || !EMPTY_PAIRS.includes(opening)) return false
  return (
    charClassOf(text.charCodeAt(at + 2)) <= SEPARATOR && (at === 0 || charClassOf(text.charCodeAt(at - 1)) <= SEPARATOR)
  )
}
const EMPTY_PAIRS = Array.from('"\'[', (character) => character.charCodeAt(0))

/** Returns whether the quoted word is the name of a field: after `{` or a comma, before a colon. */
function isFieldName(text: string, start: number, end: number): boolean {
  const quote = text.charCodeAt(end)
  if (quote !== text.charCodeAt(start - 1)) return false
  const next = text.charCodeAt(end + 1) === SPACE ? end + 2 : end + 1
  const last = text.charCodeAt(start - 2) === SPACE ? start - 3 : start - 2
  return text.charCodeAt(next) === COLON && ['{', ','].includes(text.charAt(last))
}

const WORD_FIELDS = 'msg message event state status level action'.split(' ')
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/** Matches names of fields that hold words, not values: `msg`, `new_state`, `oldState`, `STATUS`. */
const WORD_FIELD = new RegExp(
  [
    `(?:^|[^A-Za-z])(?:${WORD_FIELDS.join('|')})$`,
    `(?:${WORD_FIELDS.map(capital).join('|')})$`,
    `(?:^|[^A-Za-z])(?:${WORD_FIELDS.map((word) => word.toUpperCase()).join('|')})$`,
  ].join('|'),
)

/** Tells names of fields whose values are words, such as `state` in `state=ready`. */
export function isWordField(name: string): boolean {
  return WORD_FIELD.test(name)
}

const MAX_REMEMBERED = 4_096
const remembered = new Map<string, boolean>()

/** Returns whether a word in a place of values is one: all are but levels, error words and words in capitals. */
export function mayBeValue(word: string): boolean {
  let answer = remembered.get(word)
  if (answer === undefined) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    answer = !isLevel(word) && !isCapitals(word) && !isErrorWord(word)
    remembered.set(copyString(word), answer)
  }
  return answer
}
