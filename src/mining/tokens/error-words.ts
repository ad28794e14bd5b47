const ERROR_WORDS =
  'error exception fail fatal panic denied refused timeout timed abort crash corrupt invalid unreachable unhealthy kill lost exhaust overflow'.split(
    ' ',
  )
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/** `error` at the start of a part of a word: `disk_error`, `IOError`, `ERRORS`, but not `mirror` or `terror`. */
const ERROR_WORD = new RegExp(
  [
    `(?:^|[^A-Za-z])(?:${ERROR_WORDS.join('|')})`,
    ERROR_WORDS.map(capital).join('|'),
    ERROR_WORDS.map((word) => word.toUpperCase()).join('|'),
    '^(?:down|dead|Down|Dead|DOWN|DEAD)$',
  ].join('|'),
)
const LEVEL = /^(trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|alert|emerg|severe|panic)$/i
const CAPITALS = /^[A-Z]{2,}$/
const BEYOND_LETTERS = /[^\p{L}-]/u
const CLOSING = /[.!?:*]+$/

/** Words that say what went wrong: never taken for a value, for that would hide a new fault beside a known one. */
export function isErrorWord(word: string): boolean {
  return ERROR_WORD.test(word)
}

/** Spelled as no word of a sentence is: with digits, dots, dashes or underscores inside. */
export function isIdentifier(word: string): boolean {
  return BEYOND_LETTERS.test(word.replace(CLOSING, '')) && !isErrorWord(word)
}

/** Identifiers and the names of constants (states, verbs, signals); not the level of a line. */
export function isName(word: string): boolean {
  return isIdentifier(word) || (CAPITALS.test(word) && !LEVEL.test(word) && !isErrorWord(word))
}
