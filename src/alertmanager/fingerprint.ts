import type { Texts } from './body.ts'

const PRIME_LOW = 0x1b3
/** The FNV prime of 64 bits is 2^40 + 0x1b3. */
const PRIME_SHIFT = 8
const OFFSET_LOW = 0x84222325
const OFFSET_HIGH = 0xcbf29ce4
const SEPARATOR = '\xff'
const NOT_ASCII = /[\x80-\uffff]/
const WORD = 2 ** 32

/**
 * Returns Alertmanager's fingerprint of a label set: FNV-1a of 64 bits over the names in the order of their bytes, each name
 * and each value followed by a byte 255; 16 hex digits. Links and dashboards use it; it may collide.
 */
export function fingerprintOf(labels: Texts): string {
  const pairs = Object.entries(labels).map(([name, value]) => [bytesOf(name), bytesOf(value)] as const)
  pairs.sort(([a], [b]) => (a < b ? -1 : 1))
  const bytes = pairs.map(([name, value]) => name + SEPARATOR + value + SEPARATOR).join('')
  let low = OFFSET_LOW
  let high = OFFSET_HIGH
  for (let at = 0; at < bytes.length; at++) {
    const mixed = (low ^ bytes.charCodeAt(at)) >>> 0
    const product = mixed * PRIME_LOW
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / WORD) + (mixed << PRIME_SHIFT)) >>> 0
    low = product >>> 0
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}

/** Returns the bytes of a text in UTF-8, each as a character; most texts are those bytes already. */
const bytesOf = (text: string) => (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text)
