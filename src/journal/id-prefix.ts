import { randomBytes } from 'node:crypto'
import { ID_PREFIX_BYTES } from '../domain/incident-id.ts'

const RANDOM_BYTES = 256 * ID_PREFIX_BYTES

/**
 * Returns a function that makes the first ten bytes of ids at a time in epoch milliseconds: 48 bits of time, which never
 * go back, version and variant of a UUIDv7, and 26 random bits, new in each millisecond.
 */
export function createIdPrefixes(): (now: number) => Uint8Array {
  let latest = -1
  let prefix = new Uint8Array(ID_PREFIX_BYTES)
  let random = new Uint8Array(0)
  return (now) => {
    if (now <= latest) return prefix
    latest = now
    // One call gives the bytes of many prefixes.
    if (random.length === 0) random = new Uint8Array(randomBytes(RANDOM_BYTES))
    prefix = random.slice(0, ID_PREFIX_BYTES)
    random = random.subarray(ID_PREFIX_BYTES)
    const view = new DataView(prefix.buffer)
    view.setUint32(0, Math.floor(now / 2 ** 16))
    view.setUint16(4, now % 2 ** 16)
    prefix[6] = 0x70 | ((prefix[6] as number) & 0x0f)
    prefix[8] = 0x80 | ((prefix[8] as number) & 0x3f)
    return prefix
  }
}
