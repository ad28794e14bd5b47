import type { Payload } from '../../domain/incident.ts'
import { addFacts, type IncidentFacts, type RecognizedFields } from '../text/incident-facts.ts'

/** Returns the facts of an incident of a sample that was recognised as `recognized`. */
export function sampleFacts(recognized: RecognizedFields): IncidentFacts {
  const { sender, title, service, severity, status } = recognized
  return {
    sender,
    title,
    service,
    severity,
    status,
    id: '0195c1a2-7e40-7000-8000-000000000000',
    source: sender === 'agent' ? 'agent' : 'webhook',
    createdAt: Date.UTC(2026, 2, 9, 12),
  }
}

/** Returns a payload as templates see it: with the facts of an incident that was recognised as `recognized`. */
export function sampleData(payload: Payload, recognized: RecognizedFields): Payload {
  const data = { ...payload }
  addFacts(data, sampleFacts(recognized))
  return data
}
