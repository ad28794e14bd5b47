import type { Payload, Recognized, Source } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'

/** What a payload was recognised as. */
export type RecognizedFields = Pick<Recognized, 'sender' | 'title' | 'service' | 'severity' | 'status'>

/** What is known of an incident without its payload. */
export interface IncidentFacts extends RecognizedFields {
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Puts the facts where templates find them, as `.Tocsin` of the payload, in place of whatever the payload has there. */
export function addFacts(payload: Payload, facts: IncidentFacts): void {
  const { id, title, service, severity, status, sender, source, createdAt } = facts
  const rank = severityRank(severity)
  const created_at = new Date(createdAt).toISOString()
  payload.Tocsin = { id, title, service, severity, rank, status, sender, source, created_at }
}
