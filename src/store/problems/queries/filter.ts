import type { Source, Status } from '../../../domain/incident.ts'

export interface ProblemFilter {
  readonly limit: number
  /** `next_cursor` of the previous page. */
  readonly cursor?: string
  /** A part of the title, the service or the fingerprint, in any case. */
  readonly q?: string
  readonly status?: Status
  /** The word of the latest incident, in lower case. */
  readonly severity?: string
  readonly service?: string
  readonly source?: Source
  readonly acknowledged?: boolean
}
