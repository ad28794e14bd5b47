import { destinationName } from '../../../src/domain/delivery.ts'
import { href } from '../../app/route.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { count, latency, plural } from '../../ui/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { severityOf, type TailEvent } from './events.ts'

const ICONS: { readonly [kind in TailEvent['kind']]: IconName } = {
  incident: 'incidents',
  delivery: 'channels',
  oncall: 'person',
  digest: 'digests',
  silence: 'silences',
  agent: 'agent',
  missed: 'triangle',
}

interface EventRowProps {
  readonly event: TailEvent
  /** Pixels. */
  readonly top: number
  readonly height: number
}

/** One event in one line, with a link to its incident where it has one. */
export function EventRow({ event, top, height }: EventRowProps) {
  const position = { transform: `translateY(${top}px)`, height: `${height}px` }
  const target = targetOf(event)
  const inside = (
    <>
      <span class="event-time quiet">
        <Time at={event.at} as="clock" />
      </span>
      <span class="event-kind" title={event.kind}>
        <Icon name={ICONS[event.kind]} size={14} />
        <span class="hidden-text">{event.kind}</span>
      </span>
      <EventText event={event} />
    </>
  )
  return (
    <li class={`virtual-row event event-${event.kind}`} style={position}>
      {target === undefined ? (
        <span class="event-row">{inside}</span>
      ) : (
        <a class="event-row" href={target}>
          {inside}
        </a>
      )}
    </li>
  )
}

function targetOf(event: TailEvent): string | undefined {
  switch (event.kind) {
    case 'incident':
      return href('incidents', event.incident.id)
    case 'delivery':
    case 'oncall':
      return href('incidents', event.incident_id)
    case 'silence':
      return href('silences', String(event.silence))
    case 'digest':
      return href('digests', String(event.digest))
    case 'agent':
      return event.incident_id === null ? href('agent', 'patterns') : href('incidents', event.incident_id)
    case 'missed':
      return undefined
    default:
      return event satisfies never
  }
}

function EventText({ event }: { readonly event: TailEvent }) {
  switch (event.kind) {
    case 'incident': {
      const { title, service, status, source } = event.incident
      return <Line event={event} title={title} about={service} state={<State of={status} />} detail={`by ${source}`} />
    }
    case 'delivery': {
      const { title, state, attempt, detail, accept_to_confirmed_ms: took } = event
      const text = state === 'sent' ? `within ${latency(took)}` : `attempt ${attempt}: ${detail}`
      return (
        <Line event={event} title={title} about={destinationName(event)} state={<State of={state} />} detail={text} />
      )
    }
    case 'oncall': {
      const { title, action, by, detail } = event
      return (
        <Line
          event={event}
          title={title}
          about="on call"
          state={<State of={action} />}
          detail={by ? `by ${by}` : detail}
        />
      )
    }
    case 'silence':
      return (
        <Line
          event={event}
          title={event.name}
          about="silence"
          state={<State of={event.action} />}
          detail={event.detail}
        />
      )
    case 'digest': {
      const { digest, action, way, folded, told } = event
      const progress = `${count(told)} of ${plural(folded, 'incident')} told`
      return (
        <Line
          event={event}
          title={`Digest ${digest}: ${progress}`}
          about={destinationName(event)}
          state={<State of={action} />}
          detail={way === null ? '' : `revision ${event.revision}, ${way === 'post' ? 'posted' : 'edited'}`}
        />
      )
    }
    case 'agent':
      return <Line event={event} title={event.detail} about="agent" state={<State of={event.action} />} detail="" />
    case 'missed':
      return (
        <span class="event-missed">
          <Chip tone="warn" icon="triangle">
            {event.count === 0 ? 'Interrupted' : `${count(event.count)} events missed`}
          </Chip>
          {event.count === 0 ? 'The service was restarted or unreachable.' : 'This browser was too slow.'} The list of
          incidents is complete.
        </span>
      )
    default:
      return event satisfies never
  }
}

interface LineProps {
  readonly event: TailEvent
  readonly title: string
  readonly about: string
  readonly state: preact.VNode
  readonly detail: string
}

const Line = ({ event, title, about, state, detail }: LineProps) => (
  <>
    <span class="event-severity">
      <Severity severity={severityOf(event)} short />
    </span>
    <span class="event-title cut">{title}</span>
    <span class="event-about cut">{about}</span>
    <span class="event-state">{state}</span>
    <span class="event-detail cut quiet" title={detail}>
      {detail}
    </span>
  </>
)
