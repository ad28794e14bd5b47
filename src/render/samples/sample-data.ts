import type { Payload } from '../../domain/incident.ts'
import { addFacts, type RecognizedFields } from '../text/incident-facts.ts'

/** Returns a payload as templates see it: with the facts of an incident that was recognised as `recognized`. */
export function sampleData(payload: Payload, recognized: RecognizedFields): Payload {
  const known = {
    id: '0195c1a2-7e40-7000-8000-000000000000',
    source: recognized.sender === 'agent' ? 'agent' : 'webhook',
    createdAt: Date.UTC(2026, 2, 9, 12),
  } as const
  const data = { ...payload }
  addFacts(data, { ...recognized, ...known })
  return data
}
