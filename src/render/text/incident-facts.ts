import type { Payload, Recognized, Source } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'
import { isoTime } from '../../text/iso-time.ts'

/** Fields that the intake recognises in a payload. */
export type RecognizedFields = Pick<Recognized, 'sender' | 'title' | 'service' | 'severity' | 'status'>

/** Fields of an incident beside its payload. */
export interface IncidentFacts extends RecognizedFields {
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Sets `.Tocsin` of the payload to the facts. Replaces a field of this name. */
export function addFacts(payload: Payload, facts: IncidentFacts): void {
  const { id, title, service, severity, status, sender, source, createdAt } = facts
  const rank = severityRank(severity)
  const created_at = isoTime(createdAt)
  payload.Tocsin = { id, title, service, severity, rank, status, sender, source, created_at }
}

/** Returns the address of an incident's dashboard page; its id when `publicHost` is empty. */
export function incidentLink(publicHost: string, incidentId: string): string {
  if (publicHost === '') return `incident ${incidentId}`
  return `${publicHost.replace(/\/+$/, '')}/#/incidents/${encodeURIComponent(incidentId)}`
}
