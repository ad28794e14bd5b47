const QUOTE: u8 = 0x22
const BACKSLASH: u8 = 0x5c
const LETTER_U: u8 = 0x75

/**
 * Returns the address behind the quote that ends the string; 0 when the string is not valid in JSON or UTF-8. `at`: the
 * address behind the opening quote.
 */
export function stringEnd(at: usize): usize {
  while (true) {
    const block = v128.load(at)
    // Bytes above 0x7f are negative.
    const special = i8x16.bitmask(
      v128.or(
        i8x16.lt_s(block, i8x16.splat(0x20)),
        v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
      ),
    )
    if (special === 0) {
      at += 16
      continue
    }
    at += <usize>ctz(special)
    const byte = load<u8>(at)
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at = escapeEnd(at + 1)
    else if (byte < 0x20) return 0
    else at = wideEnd(at)
    if (at === 0) return 0
  }
}

function escapeEnd(at: usize): usize {
  switch (load<u8>(at)) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1
    case LETTER_U:
      return isHex(at + 1) && isHex(at + 2) && isHex(at + 3) && isHex(at + 4) ? at + 5 : 0
    default:
      return 0
  }
}

function isHex(at: usize): bool {
  const byte = load<u8>(at)
  return byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 6
}

/** Returns the address behind the run of characters above U+007F at `at`; 0 when a byte of it is not valid UTF-8. */
function wideEnd(at: usize): usize {
  while (true) {
    const byte = load<u8>(at)
    if (byte < 0x80) return at
    if (byte < 0xe0) {
      if (byte < 0xc2 || !isNext(load<u8>(at, 1))) return 0
      at += 2
    } else if (byte < 0xf0) {
      if ((load<u16>(at, 1) & 0xc0c0) !== 0x8080) return 0
      // Neither longer than needed nor a surrogate.
      const second = load<u8>(at, 1)
      if ((byte === 0xe0 && second < 0xa0) || (byte === 0xed && second > 0x9f)) return 0
      at += 3
    } else {
      if ((load<u32>(at) & 0xc0c0c000) !== 0x80808000) return 0
      // Neither longer than needed nor above U+10FFFF.
      const second = load<u8>(at, 1)
      if (byte > 0xf4 || (byte === 0xf0 && second < 0x90) || (byte === 0xf4 && second > 0x8f)) return 0
      at += 4
    }
  }
}

function isNext(byte: u8): bool {
  return (byte & 0xc0) === 0x80
}
