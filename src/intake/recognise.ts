import type { Payload, Recognized } from '../domain/incident.ts'
import { custom } from './custom.ts'
import { fingerprint } from './fingerprint.ts'
import { SHAPES } from './index.ts'
import { line } from './single-line.ts'

const MAX_TITLE = 200
const MAX_SERVICE = 100
const MAX_SEVERITY = 32

/** What a payload says about itself; any object will do, however hostile. */
export function recognise(payload: Payload): Recognized {
  const shape = SHAPES.find((candidate) => candidate.matches(payload)) ?? custom
  const reading = shape.read(payload)
  const service = line(reading.service, MAX_SERVICE)
  const title = line(reading.title, MAX_TITLE) || (service === '' ? 'Incident' : `Incident of ${service}`)
  return {
    sender: shape.sender,
    title,
    service,
    // Lower case first: it can make a text longer.
    severity: line(reading.severity.slice(0, MAX_SEVERITY * 2).toLowerCase(), MAX_SEVERITY),
    status: reading.resolved ? 'resolved' : 'firing',
    fingerprint: fingerprint(shape.sender, reading.identity || `${service}: ${title}`),
  }
}
