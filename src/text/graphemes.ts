/** One for the thread, made when the first text needs it: building it costs more than a thousand incidents. */
let segmenter: Intl.Segmenter | undefined

/** The last place at or before `index` (in UTF-16 units) where `text` can be cut without splitting what a reader sees as one character. */
export function graphemeFloor(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  if (isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index))) return index
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  return segmenter.segment(text).containing(index)?.index ?? index
}

/** Printable ASCII never joins another printable ASCII character. */
const isPlain = (unit: number) => unit >= 0x20 && unit < 0x7f

/** The beginning of `text`, at most `max` UTF-16 units, ending between graphemes; a single longer grapheme is cut between code points. */
export function graphemeStart(text: string, max: number): string {
  if (text.length <= max) return text
  const end = graphemeFloor(text, max)
  if (end > 0 || max <= 0) return text.slice(0, Math.max(0, end))
  const afterHalf = isHighSurrogate(text.charCodeAt(max - 1)) && isLowSurrogate(text.charCodeAt(max))
  return text.slice(0, afterHalf ? max - 1 : max)
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000
