import type { DeliveryPage } from '../../api/delivery.ts'
import type { IncidentDetail, IncidentPage, IncidentRecord } from '../../api/incident.ts'
import type { DeliveryFilter, IncidentFilter } from '../incidents/filters.ts'

/**
 * Reads of what is applied. Store thread. A file that cannot be read throws SQLite's own
 * error.
 */
export interface IncidentPort {
  /** Throws `bad_parameter` for a cursor or a search query that is not valid. */
  list(filter: IncidentFilter): Omit<IncidentPage, 'unapplied'>
  /** Returns undefined when no incident has the id, as `record`. */
  detail(id: string): IncidentDetail | undefined
  record(id: string): IncidentRecord | undefined
  /** Throws `bad_parameter` for a cursor that is not valid. */
  deliveries(filter: DeliveryFilter): DeliveryPage
}
