const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const isOpen = (code: number) => code === 0x5b || code === 0x7b
const isClose = (code: number) => code === 0x5d || code === 0x7d

/** Offset of the bracket that opens one level more than `limit`; undefined when there is none before the first fault of the JSON. */
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

/** Whether there are more than `limit` opening brackets at all, within strings or not: native searches make this far cheaper than a scan. */
function moreOpenings(text: string, limit: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > limit) return true
  }
  return false
}

/** Index of the element of an array that `offset` lies in; the JSON before it is valid. */
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

/** The elements of a valid JSON array of objects, each as the bytes that it was sent in. */
export function elementsOf(array: Buffer): Buffer[] {
  const elements: Buffer[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < array.length; at++) {
    const byte = array[at] as number
    if (byte === QUOTE) at = bufferStringEnd(array, at)
    else if (isOpen(byte)) {
      if (++depth === 2) start = at
    } else if (isClose(byte) && --depth === 1) elements.push(array.subarray(start, at + 1))
  }
  return elements
}

/** Offset of the quote that ends the string which begins at `start`; the text's length when nothing ends it. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function bufferStringEnd(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
