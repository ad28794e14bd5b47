const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const isOpen = (code: number) => code === 0x5b || code === 0x7b
const isClose = (code: number) => code === 0x5d || code === 0x7d

/**
 * Returns the offset of the bracket that opens level `limit + 1`; undefined when no bracket before the first syntax
 * error does.
 */
export function offsetBeyondDepth(text: string, limit: number): number | undefined {
  if (!moreOpenings(text, limit)) return undefined
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = stringEnd(text, at)
    else if (isOpen(char)) {
      if (++depth > limit) return at
    } else if (isClose(char)) depth--
  }
  return undefined
}

/**
 * Tells whether the text has more than `limit` opening brackets, those in strings included. Native searches are much
 * cheaper than the scan, which most bodies are spared.
 */
function moreOpenings(text: string, limit: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > limit) return true
  }
  return false
}

/** Returns the index of the array element at `offset`. The JSON before `offset` must be valid. */
export function elementAt(text: string, offset: number): number {
  let depth = 0
  let index = 0
  for (let at = 0; at < offset; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = stringEnd(text, at)
    else if (isOpen(char)) depth++
    else if (isClose(char)) depth--
    else if (char === COMMA && depth === 1) index++
  }
  return index
}

/** Returns the offset of the quote that ends the string at `start`, or the length of the text when it has no end. */
function stringEnd(text: string, start: number): number {
  for (let from = start + 1, end: number; ; from = end + 1) {
    end = text.indexOf('"', from)
    if (end < 0) return text.length
    let first = end
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--
    // An odd number of backslashes escapes the quote.
    if ((end - first) % 2 === 0) return end
  }
}
