import { createHash } from 'node:crypto'

/** Characters that need no escaping in any provider's query. */
const PLAIN = /^[\w.:/@-]+$/

/** Returns the fingerprint if it is plain and at most `max` characters long, else a digest of it (SHA-256, 40 digits). */
export function dedupKeyOf(fingerprint: string, max: number): string {
  return fingerprint.length <= max && PLAIN.test(fingerprint) ? fingerprint : digestOf(fingerprint)
}

/** Returns a digest of the fingerprint: 40 hexadecimal digits. */
export function digestOf(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('hex').slice(0, 40)
}
