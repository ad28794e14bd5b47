import type { Attempt } from './delivery.ts'
import type { PageVerdict, Signal } from './escalation.ts'
import type { Overrides, Recognized, Source } from './incident.ts'
import { severityRank } from './severity.ts'

/** Who is paged and when, unless a request says otherwise. */
export interface OncallPolicy {
  /** False: only requests that ask for it page anybody. */
  readonly enable: boolean
  readonly waitMs: number
  /** Name of the provider. */
  readonly provider: string
}

/** From this severity rank on, what the agent finds wakes nobody. */
const QUIET_RANK = 2

/** How long until the incident pages somebody; undefined: it never does. */
export function pageAfterMs(
  { status, severity, source }: Pick<Recognized, 'status' | 'severity'> & { readonly source: Source },
  overrides: Overrides | undefined,
  policy: OncallPolicy,
): number | undefined {
  if (status === 'resolved' || !(overrides?.oncallEnable ?? policy.enable)) return undefined
  if (source === 'agent' && severityRank(severity) >= QUIET_RANK) return undefined
  const minutes = overrides?.oncallWaitMinutes
  return minutes === undefined ? policy.waitMs : Math.round(minutes * 60_000)
}

/** Name of the destination that the request chose, of those that the provider has. */
export function pageTarget(overrides: Overrides | undefined, provider: string): string | undefined {
  switch (provider) {
    case 'pagerduty':
      return overrides?.pagerdutyRoutingKey
    case 'incident_io':
      return overrides?.targets?.incident_io
    default:
      return undefined
  }
}

/**
 * One thing the provider is to be told, handed from storage to the OnCallActor, which owes exactly one `Told` for it.
 */
export interface Page extends Recognized {
  /** Storage's own number of the incident. */
  readonly incident: number
  readonly id: string
  readonly source: Source
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly signal: Signal
  /** When the page was due, epoch milliseconds. */
  readonly dueAt: number
  /** 1-based number of the attempt to tell this signal that is about to be made. */
  readonly attempt: number
  /** An earlier attempt's outcome is unknown. */
  readonly mayDuplicate: boolean
  /** Epoch milliseconds. */
  readonly dispatchedAt: number
  /** Name of another destination of the provider. */
  readonly target?: string
  /** Who acknowledged. */
  readonly by?: string
  /** The payload; absent when it is larger than a page should be. */
  readonly content?: Uint8Array
}

/** How a page ended. */
export interface PageSettlement {
  readonly incident: number
  readonly verdict: PageVerdict
  /** Absent when nothing was attempted. */
  readonly attempt?: Attempt
}
