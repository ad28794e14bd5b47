import type { TailEvent as ServiceEvent, StatsEvent } from '../../../src/domain/event.ts'
import type { Hello, Missed } from '../../../src/domain/subscription.ts'

/** A line of the tail: an event of the service, or a note that events are missing. */
export type TailEvent = (Exclude<ServiceEvent, StatsEvent> & { readonly id: string }) | MissedNote

/** A note in place of missing events; `count` is 0 when their number is unknown. */
interface MissedNote {
  readonly id: string
  readonly at: string
  readonly kind: 'missed'
  readonly count: number
}

export const KINDS = ['incident', 'delivery', 'oncall', 'digest', 'silence', 'answer', 'agent'] as const
export type Kind = (typeof KINDS)[number]

/** A message of the service: an event, the greeting, or a number of missed events. */
export type ServerMessage = Exclude<TailEvent, MissedNote> | Hello | Missed
