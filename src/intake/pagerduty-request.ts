import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import { asObject, objectAt, own, textAt, type Words } from './fields.ts'

const EVENT_ACTIONS = ['trigger', 'acknowledge', 'resolve'] as const

/** A request of the Events API. */
interface EventRequest {
  readonly action: (typeof EVENT_ACTIONS)[number]
  /** At most 255 characters; undefined: a trigger without one. */
  readonly dedupKey: string | undefined
  /** The body without its routing key. */
  readonly event: Payload
}

const MAX_DEDUP_KEY = 255

/** Returns what is wrong with the body of an event, in sentences for its sender; empty when nothing is. */
export function eventErrors(body: Payload): string[] {
  const [action, payload] = [own(body, 'event_action'), own(body, 'payload')]
  const key = own(body, 'dedup_key') ?? ''
  const isKnown = EVENT_ACTIONS.some((known) => known === action)
  const faults: readonly (readonly [is: boolean, sentence: string])[] = [
    [!isKnown, `event_action must be one of ${EVENT_ACTIONS.join(', ')}`],
    [typeof key !== 'string', 'dedup_key must be a text'],
    [typeof key === 'string' && key.length > MAX_DEDUP_KEY, `dedup_key must have at most ${MAX_DEDUP_KEY} characters`],
    [isKnown && action !== 'trigger' && isBlank(key), 'dedup_key is missing'],
    [payload !== undefined && payload !== null && !isObject(payload), 'payload must be an object'],
    [action === 'trigger' && isBlank(own(asObject(payload), 'summary')), 'payload.summary is missing or blank'],
  ]
  return faults.filter(([is]) => is).map(([, sentence]) => sentence)
}

const isBlank = (value: unknown) => typeof value !== 'string' || !/\S/.test(value)

/** Reads a body without errors. */
export function readEvent(body: Payload): EventRequest {
  const { routing_key: _, ...event } = body
  const dedupKey = own(body, 'dedup_key')
  return {
    action: own(body, 'event_action') as EventRequest['action'],
    dedupKey: isBlank(dedupKey) ? undefined : (dedupKey as string),
    event,
  }
}

/** Returns the payload of an incident: the event with the name of its routing key. */
export const eventPayload = (event: Payload, integration: string, dedupKey: string): Payload => ({
  ...event,
  integration,
  dedup_key: dedupKey,
})

/** A resolve event says nothing of its problem itself. */
export const isBare = (event: Payload): boolean => textAt(objectAt(event, 'payload'), ['summary']) === ''

/**
 * Returns a resolve event with what its problem said last, so that rules find its labels again.
 *
 * @param last payload of its latest incident; undefined: retention has deleted it
 */
export function withWordsOf(event: Payload, last: Payload | undefined, { title, service, severity }: Words): Payload {
  const words = last === undefined ? { summary: title, component: service, severity } : objectAt(last, 'payload')
  return { ...last, ...event, payload: { ...words, ...objectAt(event, 'payload') } }
}
