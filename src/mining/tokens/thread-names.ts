import { isErrorWord } from './word-classes.ts'

const SPACE = 32
const LOWER = 32
const CLOSING = 93
const MAX_NAME_LENGTH = 120
/** First letters of levels, in lower case. */
const LEVEL_LETTERS = Array.from('tdfinwecas', (letter) => letter.charCodeAt(0))
const BEFORE_LEVEL = Array.from('-[(<] ', (mark) => mark.charCodeAt(0))

/** Text in square brackets, with at most one pair of brackets inside. */
const NAME = /\[[^[\]\n]{1,120}(?:\[[^[\]\n]{0,60}\][^[\]\n]{0,60})?\]/y
const LEVEL = /(?:- )?[[(<]?(?:TRACE|DEBUG|FINE|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE|CRITICAL)[\])>:]* +/iy
/** A dotted name, a name in mixed case before a colon or dash, or the mark that ends a header. */
const LOGGER = /(?:- )?(?:\[?[\w$]+(?:[.$][\w$<*>-]+)+(?:\]|:| |$)|([A-Z][\w$]*[a-z][\w$]*) ?[:-] |[:-] )/y

/**
 * Returns the index after a thread's name in square brackets at `start`; 0 when there is none. Threads are named beside
 * a level and before a logger, as in `INFO [pool 3] com.shop.Cart:` and `[pool 3] INFO com.shop.Cart -`.
 * @param afterLevel a level stands before the bracket
 */
export function threadNameEnd(text: string, start: number, afterLevel: boolean): number {
  let closing = start + 1
  while (text.charCodeAt(closing) !== CLOSING && closing - start <= MAX_NAME_LENGTH) closing++
  if (!afterLevel && !mayBeLevel(text, closing + 1)) return 0
  NAME.lastIndex = start
  if (!NAME.test(text)) return 0
  const end = NAME.lastIndex
  let next = afterBlanks(text, end)
  if (!afterLevel) {
    LEVEL.lastIndex = next
    if (!LEVEL.test(text)) return 0
    next = LEVEL.lastIndex
  }
  LOGGER.lastIndex = next
  const logger = next > end ? LOGGER.exec(text) : null
  return logger && !isErrorWord(logger[1] ?? '') ? end : 0
}

/** Returns whether a word that begins like a level follows; a cheap test, because most brackets are no names. */
function mayBeLevel(text: string, at: number): boolean {
  let next = afterBlanks(text, at)
  while (next < at + 8 && BEFORE_LEVEL.includes(text.charCodeAt(next))) next++
  return next > at && LEVEL_LETTERS.includes(text.charCodeAt(next) | LOWER)
}

function afterBlanks(text: string, at: number): number {
  let next = at
  while (text.charCodeAt(next) === SPACE) next++
  return next
}
