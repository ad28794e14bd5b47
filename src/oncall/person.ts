import { graphemeStart } from '../text/graphemes.ts'

/** Longest name that is kept, in UTF-16 units. */
export const MAX_NAME = 80

/** Names of tokens in the ledger begin so, and those of people do not. */
const TOKEN = /^mcp:/i

/**
 * Returns the name on one line, without control characters; undefined when nothing is left of it, and for one that could be
 * taken for that of a token.
 */
export function personOf(name: string): string | undefined {
  const line = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  const seen = line
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
  return line === '' || TOKEN.test(seen) ? undefined : graphemeStart(line, MAX_NAME).trim()
}

/** Returns a name that somebody gave, without the brackets behind which listed people have none; undefined as `personOf`. */
export const unlistedName = (name: string): string | undefined => personOf(name.replace(/[()[\]{}<>]/g, ' '))
