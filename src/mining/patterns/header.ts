import { isCapitals, isIdentifier, isLevel } from '../tokens/word-classes.ts'
import type { Template, TemplateToken } from './template.ts'

/** A level after more tokens than this is part of the message. */
const MAX_LEVEL_INDEX = 5
/** Fewest values of a run that can be a date and a time. */
const MIN_STAMP_VALUES = 2

/**
 * Returns the number of words of a template without those of its header and without the token `but`. The header has the
 * time, host, level, thread and logger or program, as in `<*> INFO [<*>] shop.Cart: ` and `<*> <*> cron[<*>]: `; its words
 * are the same in many unrelated lines.
 */
export function agreeingWords(template: Template, but = -1): number {
  const { tokens } = template
  let words = 0
  for (let at = headerLength(template); at < tokens.length; at++)
    if (at !== but && typeof tokens[at] === 'string') words++
  return words
}

/** Returns the number of tokens of the header; 0 when the template has none. */
function headerLength({ tokens, separators }: Template): number {
  const level = tokens.slice(0, MAX_LEVEL_INDEX + 1).findIndex((token) => typeof token === 'string' && isLevel(token))
  const levelled = level >= 0 && tokens.slice(0, level).every(mayPrecedeLevel)
  if (!levelled && !isStamp(tokens[0])) return 0
  let at = levelled ? level + 1 : 1
  while (typeof tokens[at] === 'number') at++
  const logger = tokens[at]
  const ends = ENDS_HEADER.test(separators[at + 1] ?? '')
  return typeof logger === 'string' && (ends || (levelled && isIdentifier(logger))) ? at + 1 : at
}
const ENDS_HEADER = /^[\])]*(?::| -)/

const isStamp = (token: TemplateToken | undefined) => typeof token === 'number' && token >= MIN_STAMP_VALUES
const mayPrecedeLevel = (token: TemplateToken) => typeof token === 'number' || isIdentifier(token) || isCapitals(token)
