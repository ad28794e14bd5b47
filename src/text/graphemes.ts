/** Created when the first text needs it: that costs more than ingesting a thousand incidents. */
let segmenter: Intl.Segmenter | undefined

/** Returns the last place at or before `index` where `text` can be cut between graphemes. Both are in UTF-16 units. */
export function graphemeFloor(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  if (isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index))) return index
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  return segmenter.segment(text).containing(index)?.index ?? index
}

/** True for printable ASCII: two such characters are always two graphemes. */
const isPlain = (unit: number) => unit >= 0x20 && unit < 0x7f

/**
 * Returns the beginning of `text`, at most `max` UTF-16 units, cut between graphemes. A longer grapheme is cut between
 * code points.
 */
export function graphemeStart(text: string, max: number): string {
  if (text.length <= max) return text
  const end = graphemeFloor(text, max)
  if (end > 0 || max <= 0) return text.slice(0, Math.max(0, end))
  const afterHalf = isHighSurrogate(text.charCodeAt(max - 1)) && isLowSurrogate(text.charCodeAt(max))
  return text.slice(0, afterHalf ? max - 1 : max)
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000
