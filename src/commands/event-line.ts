import type { styleText } from 'node:util'
import { destinationName } from '../domain/delivery/delivery.ts'
import type { DigestEvent, StatsEvent, TailEvent } from '../domain/event.ts'
import { visible } from '../text/visible.ts'

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

const KIND_WIDTH = 8
const SEVERITY_WIDTH = 8
const STATE_WIDTH = 12

/** Returns an event as one readable line, with local times. */
export function eventLine(event: TailEvent, paint: Paint): string {
  const { severity, state, message } = partsOf(event, paint)
  const styled = (style: Parameters<Paint>[0] | undefined, text: string) => (style ? paint(style, text) : text)
  const columns = [
    paint('dim', timeOf(event.at)),
    paint('dim', event.kind.padEnd(KIND_WIDTH)),
    styled(SEVERITY_STYLE[severity], toPlain(severity).padEnd(SEVERITY_WIDTH)),
    styled(STATE_STYLE[state], toPlain(state).padEnd(STATE_WIDTH)),
    message,
  ]
  return columns.join('  ').trimEnd()
}

interface LineParts {
  readonly severity: string
  readonly state: string
  readonly message: string
}

function partsOf(event: TailEvent, paint: Paint): LineParts {
  const faint = (...words: readonly (string | null)[]) => paint('dim', words.filter(Boolean).map(toPlain).join(' '))
  switch (event.kind) {
    case 'incident': {
      const { severity, status, title, service, sender, id } = event.incident
      return { severity, state: status, message: `${toPlain(title)}  ${faint(service, sender, id)}` }
    }
    case 'delivery': {
      const { severity, state, title, incident_id } = event
      return {
        severity,
        state,
        message: `${toPlain(destinationName(event))}  ${toPlain(title)}  ${faint(deliveryOutcome(event), incident_id)}`,
      }
    }
    case 'oncall': {
      const { severity, action: state, title, by, detail, incident_id } = event
      return { severity, state, message: `${toPlain(title)}  ${faint(by && `by ${by}`, detail, incident_id)}` }
    }
    case 'digest': {
      const to = toPlain(destinationName(event))
      return {
        severity: '',
        state: event.action,
        message: `${to}  digest ${event.digest}  ${faint(digestProgress(event))}`,
      }
    }
    case 'silence':
      return { severity: '', state: event.action, message: `${toPlain(event.name)}  ${faint(event.detail)}` }
    case 'answer': {
      const { result, action, via, by, title } = event
      return { severity: '', state: result, message: `${toPlain(title)}  ${faint(`${action} by ${by}`, via)}` }
    }
    case 'agent':
      return { severity: '', state: event.action, message: `${toPlain(event.detail)}  ${faint(event.pattern_id)}` }
    case 'stats':
      return { severity: '', state: '', message: figuresOf(event) }
    default:
      return event satisfies never
  }
}

type Delivery = Extract<TailEvent, { kind: 'delivery' }>

function deliveryOutcome({ state, attempt, detail, next_attempt_at, accept_to_confirmed_ms }: Delivery): string {
  const again = next_attempt_at === null ? '' : `; again at ${timeOf(next_attempt_at)}`
  if (state === 'sent')
    return attempt === 1 ? `${accept_to_confirmed_ms} ms` : `${accept_to_confirmed_ms} ms, attempt ${attempt}`
  return `attempt ${attempt}: ${detail}${again}`
}

function digestProgress({ update, way, incidents, notified }: DigestEvent): string {
  const by = update === null ? '' : `update ${update}, ${way}: `
  return `${by}${notified} of ${incidents} incidents notified`
}

/** Returns the main figures of the statistics; leaves out those that another version of the service does not send. */
function figuresOf({ stats }: StatsEvent): string {
  const { ingest, storage, attention } = stats as {
    readonly [section: string]: { readonly [figure: string]: unknown } | undefined
  }
  const figures = {
    'accepted/s': ingest?.accepted_per_s,
    unfinished: storage?.unfinished_deliveries,
    dead: attention?.dead,
  }
  const known = Object.entries(figures).filter(([, value]) => typeof value === 'number')
  return known.map(([name, value]) => `${name} ${value}`).join('  ')
}

const timeOf = (iso: string) => new Date(iso).toTimeString().slice(0, 8)

/** Removes control characters and line breaks, so that no foreign text moves the cursor or turns the line around. */
const toPlain = (text: string | null) => visible(text ?? '').replace(/[\ufffd\n\t]+/g, '\ufffd')

const SEVERITY_STYLE: { readonly [severity: string]: Parameters<Paint>[0] } = {
  critical: ['bold', 'red'],
  page: ['bold', 'red'],
  fatal: ['bold', 'red'],
  high: 'red',
  error: 'red',
  warning: 'yellow',
  warn: 'yellow',
}
const STATE_STYLE: { readonly [state: string]: Parameters<Paint>[0] } = {
  sent: 'green',
  resolved: 'green',
  acknowledged: 'green',
  pending: 'yellow',
  dead: ['bold', 'red'],
  failed: ['bold', 'red'],
  paged: 'magenta',
  updated: 'green',
  opened: 'yellow',
}
