import type { DeliveryState } from '../../domain/delivery/delivery.ts'

/** Incidents of one step, and what was sent of them. Times are epoch milliseconds, hours the begins of hours. */
export interface ReportPart {
  /** The next step begins below this number; undefined: this was the last one. */
  readonly before: number | undefined
  /** Commit of the oldest incident that was counted; undefined: none was. */
  readonly oldestAt: number | undefined
  /** An incident older than the time of the report was met. */
  readonly reached: boolean
  readonly incidents: number
  readonly messages: readonly HourOfDestination[]
  readonly pages: readonly { readonly hour: number; readonly count: number; readonly unacknowledged: number }[]
  readonly deliveries: readonly { readonly state: DeliveryState; readonly byDigest: boolean; readonly count: number }[]
  readonly problems: readonly ReportedProblem[]
}

export interface HourOfDestination {
  /** `chatws`, or `chatws:payments`. */
  readonly destination: string
  readonly hour: number
  readonly count: number
  /** Edits of digests among them. */
  readonly edits: number
}

export interface ReportedProblem {
  readonly fingerprint: string
  /** Title of the latest incident. */
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly id: string
  readonly firing: number
  readonly resolved: number
}
