/**
 * AssemblyScript, compiled into ../validator.wasm by `npm run build:validator`. Checks bodies where they lie in linear
 * memory. A zero byte behind the body ends every loop: it is valid nowhere in JSON, so no read is compared with the end
 * of the body. Reads may go 15 bytes beyond that byte.
 */

import { objectEnd } from './object.ts'
import { blankEnd, lineEnd, lineStart, spaceEnd } from './space.ts'

/** A pair of addresses for each document: where it begins, and the byte behind it. */
const MAX_DOCUMENTS: i32 = 10_000
const RANGES = memory.data(8 * MAX_DOCUMENTS, 16)

const REFUSED: i32 = -1
const SINGLE: i32 = 0

const RETURN: u8 = 0x0d
const COMMA: u8 = 0x2c
const OPEN_ARRAY: u8 = 0x5b
const CLOSE_ARRAY: u8 = 0x5d
const OPEN_OBJECT: u8 = 0x7b
const MARK: u32 = 0xbfbbef

/** The first address behind what the module itself uses. */
export function firstFree(): usize {
  return __heap_base
}

export function rangesAddress(): usize {
  return RANGES
}

/**
 * Checks an object, or an array of objects. Returns -1 when it is refused, 0 for a single object, and the number of
 * elements for an array. Overwrites the byte behind the body.
 */
export function checkJson(body: usize, length: usize): i32 {
  const end = body + length
  store<u8>(end, 0)
  const start = afterMark(body)
  const first = spaceEnd(start)
  let at: usize = 0
  let count = SINGLE
  if (load<u8>(first) === OPEN_OBJECT) {
    at = objectEnd(first)
    setRange(0, start, end)
  } else if (load<u8>(first) === OPEN_ARRAY) {
    at = spaceEnd(first + 1)
    while (true) {
      const element = at
      if (count === MAX_DOCUMENTS || load<u8>(element) !== OPEN_OBJECT) return REFUSED
      at = objectEnd(element)
      if (at === 0) return REFUSED
      setRange(count++, element, at)
      at = spaceEnd(at)
      const separator = load<u8>(at++)
      if (separator === CLOSE_ARRAY) break
      if (separator !== COMMA) return REFUSED
      at = spaceEnd(at)
    }
  }
  return at !== 0 && spaceEnd(at) === end ? count : REFUSED
}

/**
 * Checks lines of one object each; lines of white space are skipped. Returns -1 when they are refused, else their
 * number. Overwrites the byte behind the body.
 */
export function checkLines(body: usize, length: usize): i32 {
  const end = body + length
  store<u8>(end, 0)
  let count = 0
  let at = afterMark(body)
  while (true) {
    const first = spaceEnd(at)
    if (first === end) return count > 0 ? count : REFUSED
    const start = lineStart(first, at)
    const stop = lineEnd(first, end)
    if (load<u8>(first) === OPEN_OBJECT) {
      if (count === MAX_DOCUMENTS) return REFUSED
      const close = objectEnd(first)
      if (close === 0 || close > stop || spaceEnd(close) < stop) return REFUSED
      setRange(count++, start, load<u8>(stop - 1) === RETURN ? stop - 1 : stop)
    } else if (blankEnd(first) < stop) return REFUSED
    at = stop
  }
}

/**
 * Moves the documents of the last check to `to`, one behind the other, and corrects their ranges. `to` is at most the
 * address of the first. Returns the address behind the last.
 */
export function compact(count: i32, to: usize): usize {
  for (let nth = 0; nth < count; nth++) {
    const range = RANGES + ((<usize>nth) << 3)
    const from = <usize>load<u32>(range)
    const length = <usize>load<u32>(range, 4) - from
    if (from !== to) memory.copy(to, from, length)
    setRange(nth, to, to + length)
    to += length
  }
  return to
}

function setRange(nth: i32, from: usize, to: usize): void {
  const range = RANGES + ((<usize>nth) << 3)
  store<u32>(range, <u32>from)
  store<u32>(range, <u32>to, 4)
}

function afterMark(at: usize): usize {
  return (load<u32>(at) & 0xffffff) === MARK ? at + 3 : at
}
