import { graphemeStart } from '../text/graphemes.ts'

/** Control characters, line and paragraph separators, direction overrides, lone surrogates. */
const NOT_SINGLE_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u
const NOT_SINGLE_LINE_RUNS = /\s*[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]+\s*/gu

/** UTF-16 units of the text that are read for each unit of the result, so that a long run of blanks costs little. */
const LOOK_AHEAD = 8

/**
 * Returns the beginning of `raw` on one line: trimmed, without control characters, at most `max` units, … where cut.
 */
export function singleLine(raw: string, max: number): string {
  const near = graphemeStart(raw, max * LOOK_AHEAD)
  const text = NOT_SINGLE_LINE.test(near) ? near.replace(NOT_SINGLE_LINE_RUNS, ' ').trim() : near.trim()
  if (text.length <= max) return text
  return `${graphemeStart(text, max - 1).trimEnd()}…`
}
