import type { Payload, Recognized } from '../domain/incident.ts'
import { custom } from './custom.ts'
import { fingerprint } from './fingerprint.ts'
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
