import type { EventKind, TailEvent } from './event.ts'

/**
 * Filter of a client. An absent field excludes nothing. An event without a channel matches no channel, likewise
 * severity.
 */
export interface EventFilter {
  readonly kinds?: readonly EventKind[]
  readonly channels?: readonly string[]
  /** Lower case. */
  readonly severities?: readonly string[]
  /** Lower case; matches anywhere in the event's texts. Statistics have none and always match. */
  readonly q?: string
}

export function matches({ kinds, channels, severities, q }: EventFilter, event: TailEvent): boolean {
  if (kinds && !kinds.includes(event.kind)) return false
  if (event.kind === 'stats') return true
  if (channels && !channels.includes(channelOf(event))) return false
  if (severities && !severities.includes(severityOf(event))) return false
  return q === undefined || searchableTexts(event).some((word) => word?.toLowerCase().includes(q))
}

type FilterableEvent = Exclude<TailEvent, { kind: 'stats' }>

const channelOf = (event: FilterableEvent) => ('channel' in event ? event.channel : '')

function severityOf(event: FilterableEvent): string {
  switch (event.kind) {
    case 'incident':
      return event.incident.severity
    case 'delivery':
    case 'oncall':
      return event.severity
    case 'digest':
    case 'silence':
    case 'answer':
    case 'agent':
      return ''
    default:
      return event satisfies never
  }
}

function searchableTexts(event: FilterableEvent): readonly (string | null)[] {
  switch (event.kind) {
    case 'incident': {
      const { id, title, service, severity, sender } = event.incident
      return [title, service, severity, sender, id]
    }
    case 'delivery':
      return [event.title, event.channel, event.target, event.state, event.severity, event.detail, event.incident_id]
    case 'oncall':
      return [event.title, event.action, event.severity, event.by, event.detail, event.incident_id]
    case 'digest':
      return [`digest ${event.digest}`, event.channel, event.target, event.action, event.way]
    case 'silence':
      return [event.name, event.action, event.detail, String(event.silence)]
    case 'answer':
      return [event.title, event.action, event.result, event.via, event.by, event.incident_id]
    case 'agent':
      return [event.action, event.detail, event.pattern_id, event.incident_id]
    default:
      return event satisfies never
  }
}
