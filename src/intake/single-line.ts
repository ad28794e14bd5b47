import { graphemeStart } from '../text/graphemes.ts'

/** What has no place in a single line: controls, line and paragraph separators, direction overrides, halves of characters. */
const NOT_SINGLE_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u
const NOT_SINGLE_LINE_RUNS = /\s*[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]+\s*/gu

/** How much of a text is looked at for each unit that may come out: a title behind more blanks than that is no title. */
const LOOK_AHEAD = 8

/** The beginning of `raw` on one line: trimmed, without control characters, at most `max` UTF-16 units, with … where it was cut. */
export function singleLine(raw: string, max: number): string {
  const near = graphemeStart(raw, max * LOOK_AHEAD)
  const text = NOT_SINGLE_LINE.test(near) ? near.replace(NOT_SINGLE_LINE_RUNS, ' ').trim() : near.trim()
  if (text.length <= max) return text
  return `${graphemeStart(text, max - 1).trimEnd()}…`
}
