import type { ChannelName, DeliveryState } from '../../domain/delivery.ts'
import type { Source, Status } from '../../domain/incident.ts'

interface Page {
  /** 1 to 500. */
  readonly limit: number
  /** `next_cursor` of the page before. */
  readonly cursor?: string
}

/** Which incidents. */
export interface IncidentFilter extends Page {
  /** Words to look for; see `questionOf`. */
  readonly q?: string
  readonly status?: Status
  readonly severity?: string
  readonly service?: string
  readonly channel?: ChannelName
  readonly source?: Source
}

/** Which deliveries. */
export interface DeliveryFilter extends Page {
  readonly state?: DeliveryState
  readonly channel?: ChannelName
}

/** Which dead letters. */
export interface ReplayFilter {
  readonly state: 'dead'
  readonly channel?: ChannelName
  /** Of an incident. */
  readonly id?: string
}
