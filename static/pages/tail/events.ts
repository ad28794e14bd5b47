import type { AgentEvent, DeliveryEvent, IncidentEvent, OnCallEvent } from '../../../src/domain/event.ts'
import type { Hello, Missed } from '../../../src/domain/subscription.ts'

/** A line of the tail: what the service sends, and what is missing from it. */
export type TailEvent =
  | ((IncidentEvent | DeliveryEvent | OnCallEvent | AgentEvent) & { readonly id: string })
  | MissedNote

/** Stands where events are missing; `count` 0: nobody knows how many. */
interface MissedNote {
  readonly id: string
  readonly at: string
  readonly kind: 'missed'
  readonly count: number
}

export const KINDS = ['incident', 'delivery', 'oncall', 'agent'] as const
export type Kind = (typeof KINDS)[number]

/** What is said of a connection, beside the events. */
export type ServerMessage = Exclude<TailEvent, MissedNote> | Hello | Missed

export const severityOf = (event: TailEvent) =>
  event.kind === 'incident' ? event.incident.severity : 'severity' in event ? event.severity : ''
