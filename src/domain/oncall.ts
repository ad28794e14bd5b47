import type { Overrides, Recognized, Source } from './incident.ts'
import { severityRank } from './severity.ts'

/** Defaults for paging, which a request may override. */
export interface OncallPolicy {
  /** False: only incidents whose request asks for it page. */
  readonly enable: boolean
  readonly waitMs: number
  /** Name of the provider. */
  readonly provider: string
}

/** Escalations that page in place of one wait and the provider. */
export interface EscalationPolicy {
  /** As that of `OncallPolicy`: there may be no provider. */
  readonly enable: boolean
  /** Name of the escalation of what pages and names none; absent: one wait, then the provider. */
  readonly escalation?: string
  /** Wait before the first step by the name of the escalation, in milliseconds. */
  readonly waits: ReadonlyMap<string, number>
}

/** From this severity rank on, incidents of the log agent do not page. */
const QUIET_RANK = 2

/** Returns the time until the incident pages; undefined: it does not page. */
export function pageAfterMs(
  { status, severity, source }: Pick<Recognized, 'status' | 'severity'> & { readonly source: Source },
  overrides: Overrides | undefined,
  policy: Pick<OncallPolicy, 'enable' | 'waitMs'>,
): number | undefined {
  if (status === 'resolved' || !(overrides?.oncallEnable ?? policy.enable)) return undefined
  if (source === 'agent' && severityRank(severity) >= QUIET_RANK) return undefined
  const minutes = overrides?.oncallWaitMinutes
  return minutes === undefined ? policy.waitMs : Math.round(minutes * 60_000)
}

/** Returns the name of the provider's destination that the request chose; undefined: the default one. */
export function pageTarget(overrides: Overrides | undefined, provider: string): string | undefined {
  switch (provider) {
    case 'pagerduty':
      return overrides?.pagerdutyRoutingKey
    case 'incident_io':
    case 'aws_incident_manager':
    case 'servicenow':
      return overrides?.targets?.[provider] ?? undefined
    default:
      return undefined
  }
}

/** What a person does with a message: takes the problems, or cannot, so that the next step of the escalation runs. */
export type PageAction = 'acknowledge' | 'decline'

/** States that a gateway reports of a page. */
export const REPORTED = ['delivered', 'answered', 'acknowledged', 'declined', 'failed'] as const

export interface GatewayReport {
  /** Name of the gateway. */
  readonly gateway: string
  /** Id of the page, as it was posted. */
  readonly id: string
  readonly state: (typeof REPORTED)[number]
  /** On one line, at most 200 characters; '': none was given. */
  readonly detail: string
}
