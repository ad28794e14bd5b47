import { randomBytes } from 'node:crypto'
import { ID_PREFIX_BYTES } from '../domain/incident-id.ts'

/**
 * Returns a function that makes the first ten bytes of ids at a time in epoch milliseconds: 48 bits of time, which never
 * go back, version and variant of a UUIDv7, and 26 random bits, new in each millisecond.
 */
export function createIdPrefixes(): (now: number) => Uint8Array {
  let latest = -1
  let prefix = new Uint8Array(ID_PREFIX_BYTES)
  return (now) => {
    if (now <= latest) return prefix
    latest = now
    prefix = new Uint8Array(randomBytes(ID_PREFIX_BYTES))
    const view = new DataView(prefix.buffer)
    view.setUint32(0, Math.floor(now / 2 ** 16))
    view.setUint16(4, now % 2 ** 16)
    prefix[6] = 0x70 | ((prefix[6] as number) & 0x0f)
    prefix[8] = 0x80 | ((prefix[8] as number) & 0x3f)
    return prefix
  }
}
