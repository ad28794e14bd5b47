import { randomFillSync } from 'node:crypto'

const ID_BYTES = 16
const POOL_BYTES = 256 * ID_BYTES
const SEQUENCE_BITS = 31
const DIGITS = Buffer.from('0123456789abcdef')
/** Offset in the text of the two digits of each byte. */
const DIGIT_OFFSETS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * Returns a function that makes UUIDv7s (RFC 9562). Ids of one maker sort in the order in which they were made, also
 * within a millisecond and when the clock is set back. Random bytes are drawn for 256 ids at a time: drawing them for
 * each id costs more than all the rest.
 */
export function createIdMaker(now: () => number): () => string {
  const pool = Buffer.alloc(POOL_BYTES)
  const text = Buffer.alloc(36, '-')
  let end = POOL_BYTES
  let lastMs = 0
  let seq = 0
  return () => {
    if (end === POOL_BYTES) {
      randomFillSync(pool)
      end = 0
    }
    const start = end
    end += ID_BYTES
    const ms = now()
    if (ms > lastMs) {
      lastMs = ms
      seq = pool.readUIntBE(start, 3)
    } else {
      seq = (seq + 1) % 2 ** SEQUENCE_BITS
    }
    // 48 bits of time, then version 7 and variant 2, each before the next bits of the sequence; the rest stays random.
    pool.writeUIntBE(lastMs, start, 6)
    pool.writeUInt16BE(0x7000 | (seq >>> 20), start + 6)
    pool.writeUInt16BE(0x8000 | ((seq >>> 6) & 0x3fff), start + 8)
    pool[start + 10] = ((seq << 2) & 0xff) | ((pool[start + 10] as number) & 0x03)
    for (let at = 0; at < ID_BYTES; at++) {
      const byte = pool[start + at] as number
      const offset = DIGIT_OFFSETS[at] as number
      text[offset] = DIGITS[byte >> 4] as number
      text[offset + 1] = DIGITS[byte & 15] as number
    }
    return text.toString('latin1')
  }
}
