const NEWLINE: u8 = 0x0a

/** As spaceEnd, for places where white space is rare. */
export function afterSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : spaceEnd(at)
}

/** Returns the address of the first byte that is no white space of JSON. */
export function spaceEnd(at: usize): usize {
  while (true) {
    const block = v128.load(at)
    const spaces = v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(0x20)), i8x16.eq(block, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(block, i8x16.splat(0x0d)), i8x16.eq(block, i8x16.splat(0x09))),
    )
    const others = i8x16.bitmask(spaces) ^ 0xffff
    if (others !== 0) return at + <usize>ctz(others)
    at += 16
  }
}

/** Returns where the line of `at` begins, `from` at the earliest. */
export function lineStart(at: usize, from: usize): usize {
  while (at > from && load<u8>(at - 1) !== NEWLINE) at--
  return at
}

/** Returns the address of the newline at or behind `at`, or `end` without one. */
export function lineEnd(at: usize, end: usize): usize {
  for (; at < end; at += 16) {
    const newlines = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)))
    if (newlines === 0) continue
    const found = at + <usize>ctz(newlines)
    return found < end ? found : end
  }
  return end
}

/** Returns the address of the first byte that ends the line, or that String.prototype.trim would not remove. */
export function blankEnd(at: usize): usize {
  while (true) {
    const length = blankLength(at)
    if (length === 0) return at
    at += length
  }
}

function blankLength(at: usize): usize {
  const byte = load<u8>(at)
  if (byte === 0x20 || byte === 0x09 || (byte >= 0x0b && byte <= 0x0d)) return 1
  if (byte === 0xc2) return load<u8>(at, 1) === 0xa0 ? 2 : 0
  if (byte < 0xe1) return 0
  return isWideBlank(load<u32>(at) & 0xffffff) ? 3 : 0
}

/** `bytes`: three bytes of UTF-8, little-endian. */
function isWideBlank(bytes: u32): bool {
  switch (bytes) {
    case 0x809ae1: // U+1680
    case 0xa880e2: // U+2028
    case 0xa980e2: // U+2029
    case 0xaf80e2: // U+202F
    case 0x9f81e2: // U+205F
    case 0x8080e3: // U+3000
    case 0xbfbbef: // U+FEFF
      return true
    default: // U+2000 to U+200A
      return (bytes & 0xffff) === 0x80e2 && bytes >= 0x8080e2 && bytes <= 0x8a80e2
  }
}
