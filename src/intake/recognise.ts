import { hash } from 'node:crypto'
import type { Payload, Recognized, Sender } from '../domain/incident.ts'
import { custom } from './custom.ts'
import { SHAPES } from './index.ts'
import { singleLine } from './single-line.ts'

const MAX_TITLE = 200
const MAX_SERVICE = 100
const MAX_SEVERITY = 32

/** Reads title, service, severity, status and fingerprint out of a payload. Never throws, for any object. */
export function recognise(payload: Payload): Recognized {
  const shape = SHAPES.find((candidate) => candidate.matches(payload)) ?? custom
  const extracted = shape.read(payload)
  const { changedAt, members } = extracted
  const service = singleLine(extracted.service, MAX_SERVICE)
  const title = singleLine(extracted.title, MAX_TITLE) || (service === '' ? 'Incident' : `Incident of ${service}`)
  return {
    sender: shape.sender,
    title,
    service,
    // Lower case before the cut, because it can make a text longer.
    severity: singleLine(extracted.severity.slice(0, MAX_SEVERITY * 2).toLowerCase(), MAX_SEVERITY),
    status: extracted.resolved ? 'resolved' : 'firing',
    fingerprint: fingerprint(shape.sender, extracted.identity || `${service}: ${title}`),
    ...(changedAt === undefined ? undefined : { changedAt }),
    ...(members === undefined ? undefined : { members }),
  }
}

/** PagerDuty's limit for a dedup key. */
const MAX_CHARACTERS = 255
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const HASHED = 'sha256:'

/**
 * Returns `sender:identity`, so that two kinds of sender never have the same fingerprint. A long identity, or one that
 * is not printable ASCII, is replaced by its hash.
 */
function fingerprint(sender: Sender, identity: string): string {
  const plain = `${sender}:${identity}`
  if (plain.length <= MAX_CHARACTERS && PRINTABLE.test(identity) && !identity.startsWith(HASHED)) return plain
  return `${sender}:${HASHED}${hash('sha256', identity)}`
}
