const ERROR_WORDS =
  'error exception fail fatal panic denied refused timeout timed abort crash corrupt invalid unreachable unhealthy kill lost exhaust overflow'.split(
    ' ',
  )
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/**
 * Matches `error` at the start of a part of a word: `disk_error`, `IOError`, `ERRORS`, but not `mirror` or `terror`.
 */
const ERROR_WORD = new RegExp(
  [
    `(?:^|[^A-Za-z])(?:${ERROR_WORDS.join('|')})`,
    ERROR_WORDS.map(capital).join('|'),
    ERROR_WORDS.map((word) => word.toUpperCase()).join('|'),
    '^(?:down|dead|Down|Dead|DOWN|DEAD)$',
  ].join('|'),
)
const LEVEL =
  /^(?:trace|debug|fine|info|information|notice|warn|warning|error|err|fatal|critical|crit|alert|emerg|severe|panic)$/i
export const MAX_LEVEL_LENGTH = 'information'.length
const CAPITALS = /^[A-Z]{2,}$/
const BEYOND_LETTERS = /[^\p{L}-]/u
const CLOSING = /[.!?:*]+$/

/** Tells words that name an error. They never become values, because that would hide a new error in a known pattern. */
export function isErrorWord(word: string): boolean {
  return ERROR_WORD.test(word)
}

/**
 * Tells identifiers from words of prose: they hold digits, dots or underscores, or are a single lower-case letter. Error
 * words are not identifiers.
 */
export function isIdentifier(word: string): boolean {
  if (word.length === 1) return word >= 'a' && word <= 'z'
  return BEYOND_LETTERS.test(word.replace(CLOSING, '')) && !isErrorWord(word)
}

/** Tells levels of logging. */
export function isLevel(word: string): boolean {
  return LEVEL.test(word)
}

/** Tells words in capitals: states, verbs of protocols, signals. There are few of each kind, and each says much. */
export function isCapitals(word: string): boolean {
  return CAPITALS.test(word)
}
