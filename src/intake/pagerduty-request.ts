import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import { objectAt, own, textAt } from './fields.ts'

const EVENT_ACTIONS = ['trigger', 'acknowledge', 'resolve'] as const
type EventAction = (typeof EVENT_ACTIONS)[number]

/** A request of the Events API. */
interface EventRequest {
  readonly action: EventAction
  /** At most 255 characters; undefined: a trigger without one. */
  readonly dedupKey: string | undefined
  /** The body without its routing key. */
  readonly event: Payload
}

const MAX_DEDUP_KEY = 255

/** Returns what is wrong with the body of an event, in sentences for its sender; empty when nothing is. */
export function eventErrors(body: Payload): string[] {
  const action = own(body, 'event_action')
  const key = own(body, 'dedup_key') ?? ''
  const isKnown = EVENT_ACTIONS.some((known) => known === action)
  const payload = own(body, 'payload')
  return [
    ...(isKnown ? [] : [`event_action must be one of ${EVENT_ACTIONS.join(', ')}`]),
    ...(typeof key === 'string' ? [] : ['dedup_key must be a text']),
    ...(typeof key === 'string' && key.length > MAX_DEDUP_KEY
      ? [`dedup_key must have at most ${MAX_DEDUP_KEY} characters`]
      : []),
    ...(isKnown && action !== 'trigger' && isBlank(key) ? ['dedup_key is missing'] : []),
    ...(payload === undefined || payload === null || isObject(payload) ? [] : ['payload must be an object']),
    ...(action === 'trigger' && isBlank(own(objectAt(body, 'payload'), 'summary'))
      ? ['payload.summary is missing or blank']
      : []),
  ]
}

const isBlank = (value: unknown) => typeof value !== 'string' || !/\S/.test(value)

/** Reads a body without errors. */
export function readEvent(body: Payload): EventRequest {
  const { routing_key: _, ...event } = body
  const dedupKey = own(body, 'dedup_key')
  return {
    action: own(body, 'event_action') as EventAction,
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
export function withWordsOf(
  event: Payload,
  last: Payload | undefined,
  { title, service, severity }: { readonly title: string; readonly service: string; readonly severity: string },
): Payload {
  const words = last === undefined ? { summary: title, component: service, severity } : objectAt(last, 'payload')
  return { ...last, ...event, payload: { ...words, ...objectAt(event, 'payload') } }
}
