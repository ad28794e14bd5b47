import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { href } from '../../app/route.ts'
import { count, latency, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import type { VirtualPlace } from '../../ui/virtual.tsx'
import type { TailEvent } from './events.ts'

const ICONS: { readonly [kind in TailEvent['kind']]: IconName } = {
  incident: 'incidents',
  delivery: 'channels',
  oncall: 'person',
  digest: 'digests',
  silence: 'silences',
  answer: 'person',
  agent: 'agent',
  missed: 'triangle',
}

interface EventRowProps {
  readonly event: TailEvent
  readonly place: VirtualPlace
}

/** One event in one line, with a link to its incident where it has one. */
export function EventRow({ event, place }: EventRowProps) {
  const columns = event.kind === 'missed' ? undefined : columnsOf(event)
  const inside = (
    <>
      <span class="event-time quiet">
        <Time at={event.at} as="clock" />
      </span>
      <span class="event-kind quiet" title={event.kind}>
        <Icon name={ICONS[event.kind]} size={14} />
        <span class="hidden-text">{event.kind}</span>
      </span>
      {columns && <Columns {...columns} />}
      {event.kind === 'missed' && <Missed count={event.count} />}
    </>
  )
  return (
    <li class={`${place.class} event event-${event.kind}`} style={place.style}>
      {columns === undefined ? (
        <span class="event-row row-link">{inside}</span>
      ) : (
        <a class="event-row row-link" href={columns.target}>
          {inside}
        </a>
      )}
    </li>
  )
}

interface EventColumns {
  /** Address that the row leads to. */
  readonly target: string
  readonly severity?: string
  readonly title: string
  readonly about: string
  readonly state: string
  readonly detail: string
}

function columnsOf(event: Exclude<TailEvent, { kind: 'missed' }>): EventColumns {
  switch (event.kind) {
    case 'incident': {
      const { id, severity, title, service: about, status: state, source } = event.incident
      return { target: href('incidents', id), severity, title, about, state, detail: `by ${source}` }
    }
    case 'delivery': {
      const { incident_id, severity, title, state, attempt, accept_to_confirmed_ms: took } = event
      const detail = state === 'sent' ? `within ${latency(took)}` : `attempt ${attempt}: ${event.detail}`
      return { target: href('incidents', incident_id), severity, title, about: destinationName(event), state, detail }
    }
    case 'oncall': {
      const { incident_id, severity, title, action: state, by } = event
      const detail = by ? `by ${by}` : event.detail
      return { target: href('incidents', incident_id), severity, title, about: 'on call', state, detail }
    }
    case 'silence': {
      const { silence, name: title, action: state, detail } = event
      return { target: href('silences', String(silence)), title, about: 'silence', state, detail }
    }
    case 'digest': {
      const { digest, action: state, way, incidents, notified } = event
      const title = `Digest ${digest}: ${count(notified)} of ${plural(incidents, 'incident')} notified`
      const detail = way === null ? '' : `update ${event.update}, ${way === 'post' ? 'posted' : 'edited'}`
      return { target: href('digests', String(digest)), title, about: destinationName(event), state, detail }
    }
    case 'answer': {
      const { problem, title, action, via, by, result: state } = event
      const target = href('problems', ...(problem === null ? [] : [String(problem)]))
      return { target, title: title ?? '', about: via, state, detail: `${action} by ${by}` }
    }
    case 'agent': {
      const { incident_id, detail: title, action: state } = event
      const target = incident_id === null ? href('agent', 'patterns') : href('incidents', incident_id)
      return { target, title, about: 'agent', state, detail: '' }
    }
    default:
      return event satisfies never
  }
}

const Columns = ({ severity = '', title, about, state, detail }: EventColumns) => (
  <>
    <span class="event-severity">
      <Severity severity={severity} short />
    </span>
    <span class="event-title cut">{title}</span>
    <span class="event-about cut">{about}</span>
    <span class="event-state">
      <State of={state} />
    </span>
    <span class="event-detail cut quiet" title={detail}>
      {detail}
    </span>
  </>
)

const Missed = ({ count: missed }: { readonly count: number }) => (
  <span class="event-missed line">
    <Chip tone="warn" icon="triangle">
      {missed === 0 ? 'Interrupted' : `${count(missed)} events missed`}
    </Chip>
    {missed === 0 ? 'The service was restarted or unreachable.' : 'This browser was too slow.'} The list of incidents is
    complete.
  </span>
)
