import { afterSpace } from './space.ts'
import { stringEnd } from './string.ts'

const MAX_DEPTH: i32 = 64
const QUOTE: u8 = 0x22
const PLUS: u8 = 0x2b
const COMMA: u8 = 0x2c
const MINUS: u8 = 0x2d
const POINT: u8 = 0x2e
const ZERO: u8 = 0x30
const COLON: u8 = 0x3a
const OPEN_ARRAY: u8 = 0x5b
const CLOSE_ARRAY: u8 = 0x5d
const OPEN_OBJECT: u8 = 0x7b
const CLOSE_OBJECT: u8 = 0x7d

/** Returns the address behind the object that opens at `open`; 0 when it is no valid JSON or nested too deep. */
export function objectEnd(open: usize): usize {
  /** A bit for each level above the current one, the lowest for the nearest: 1 is an array. */
  let outer: u64 = 0
  let depth = 1
  let inArray = false
  let at = afterSpace(open + 1)
  let isEmpty = load<u8>(at) === CLOSE_OBJECT
  while (true) {
    if (!isEmpty) {
      if (!inArray) {
        if (load<u8>(at) !== QUOTE) return 0
        at = stringEnd(at + 1)
        if (at === 0) return 0
        at = afterSpace(at)
        if (load<u8>(at) !== COLON) return 0
        at = afterSpace(at + 1)
      }
      const byte = load<u8>(at)
      if (byte === QUOTE) at = stringEnd(at + 1)
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (depth === MAX_DEPTH) return 0
        depth++
        outer = (outer << 1) | u64(inArray)
        inArray = byte === OPEN_ARRAY
        at = afterSpace(at + 1)
        isEmpty = load<u8>(at) === (inArray ? CLOSE_ARRAY : CLOSE_OBJECT)
        continue
      } else at = scalarEnd(at)
      if (at === 0) return 0
    }
    isEmpty = false
    while (true) {
      at = afterSpace(at)
      const byte = load<u8>(at++)
      if (byte === COMMA) break
      if (byte !== (inArray ? CLOSE_ARRAY : CLOSE_OBJECT)) return 0
      if (--depth === 0) return at
      inArray = (outer & 1) === 1
      outer >>= 1
    }
    at = afterSpace(at)
  }
}

/** Returns the address behind the number or name at `at`; 0 when there is none. */
function scalarEnd(at: usize): usize {
  const word = load<u32>(at)
  // `true` and `null`, and of `false` the last four letters, as little-endian words.
  if (word === 0x65757274 || word === 0x6c6c756e) return at + 4
  if (load<u8>(at) === 0x66) return load<u32>(at, 1) === 0x65736c61 ? at + 5 : 0
  return numberEnd(at)
}

function numberEnd(at: usize): usize {
  if (load<u8>(at) === MINUS) at++
  if (load<u8>(at) === ZERO) at++
  else {
    at = digitsEnd(at)
    if (at === 0) return 0
  }
  if (load<u8>(at) === POINT) {
    at = digitsEnd(at + 1)
    if (at === 0) return 0
  }
  if ((load<u8>(at) | 0x20) === 0x65) {
    const sign = load<u8>(++at)
    if (sign === PLUS || sign === MINUS) at++
    return digitsEnd(at)
  }
  return at
}

/** Returns the address behind one or more digits; 0 when there is none. */
function digitsEnd(start: usize): usize {
  let at = start
  while (isDigit(load<u8>(at))) at++
  return at === start ? 0 : at
}

function isDigit(byte: u8): bool {
  return byte - ZERO < 10
}
