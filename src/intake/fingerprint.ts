import { hash } from 'node:crypto'
import type { Sender } from '../domain/incident.ts'

/** PagerDuty's limit for a dedup key. */
const MAX_CHARACTERS = 255
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const HASHED = 'sha256:'

/**
 * Returns `sender:identity`, so that two kinds of sender never have the same fingerprint. A long identity, or one that
 * is not printable ASCII, is replaced by its hash.
 */
export function fingerprint(sender: Sender, identity: string): string {
  const plain = `${sender}:${identity}`
  if (plain.length <= MAX_CHARACTERS && PRINTABLE.test(identity) && !identity.startsWith(HASHED)) return plain
  return `${sender}:${HASHED}${hash('sha256', identity)}`
}
