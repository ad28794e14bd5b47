import type { Payload } from '../domain/incident.ts'
import type { Entry } from './table.ts'

const ZERO_TIME = '0001-01-01T00:00:00Z'

/** A change of an alert. `endsAt`: of a resolved one, epoch milliseconds. */
interface Change {
  readonly entry: Pick<
    Entry,
    'labels' | 'annotations' | 'startsAt' | 'updatedAt' | 'generatorURL' | 'fingerprint' | 'validMs'
  >
  readonly status: 'firing' | 'resolved'
  readonly endsAt?: number
  readonly byTimeout?: boolean
}

interface PayloadFacts {
  /** Address of the service for people, or ''. */
  readonly externalURL: string
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the payload of an incident: what Alertmanager's web hook sends for a group of one alert, so that its shape is known
 * to templates and silences. `valid_ms`: for how long the alert fires when it is not sent again.
 */
export function payloadOf({ entry, status, endsAt, byTimeout }: Change, { externalURL, now }: PayloadFacts): Payload {
  const { labels, annotations } = entry
  return {
    version: '4',
    receiver: 'tocsin',
    status,
    groupLabels: {},
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL,
    alerts: [
      { status, ...alertOf(entry), endsAt: status === 'firing' ? ZERO_TIME : new Date(endsAt ?? now).toISOString() },
    ],
    ...(status === 'firing' && { valid_ms: entry.validMs }),
    ...(byTimeout && { ended_by: 'timeout', last_reported_at: new Date(entry.updatedAt).toISOString() }),
  }
}

const alertOf = ({ labels, annotations, startsAt, generatorURL, fingerprint }: Change['entry']) => ({
  labels,
  annotations,
  startsAt: new Date(startsAt).toISOString(),
  generatorURL,
  fingerprint,
})
