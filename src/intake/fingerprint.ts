import { hash } from 'node:crypto'
import type { Sender } from '../domain/incident.ts'

/** The shortest dedup key a pager takes. */
const MAX_CHARACTERS = 255
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const HASHED = 'sha256:'

/** `sender:identity`, so that two kinds of sender never mean the same incident; an identity that is long or not plain text goes in as its hash. */
export function fingerprint(sender: Sender, identity: string): string {
  const plain = `${sender}:${identity}`
  if (plain.length <= MAX_CHARACTERS && PRINTABLE.test(identity) && !identity.startsWith(HASHED)) return plain
  return `${sender}:${HASHED}${hash('sha256', identity)}`
}
