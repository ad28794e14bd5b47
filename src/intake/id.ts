import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const POOL_BYTES = 16 * 256
const SEQUENCE_BITS = 31

/**
 * Makes UUIDv7s that sort in the order they were made. The library draws its random bytes id by id, which costs more than all the rest;
 * here they come from a pool, and the sequence that keeps the order within a millisecond is our own.
 */
export function idMaker(now: () => number): () => string {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  let lastMs = 0
  let seq = 0
  return () => {
    if (used === POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, used + 16)
    used += 16
    const ms = now()
    if (ms > lastMs) {
      lastMs = ms
      seq = ((random[0] as number) << 16) | ((random[1] as number) << 8) | (random[2] as number)
    } else {
      seq = (seq + 1) % 2 ** SEQUENCE_BITS
    }
    return v7({ msecs: lastMs, seq, random })
  }
}
