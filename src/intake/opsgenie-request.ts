import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import { own, textAt, type Words } from './fields.ts'

const MAX_ALIAS = 512
const TEXTS = ['message', 'alias', 'description', 'entity', 'source', 'priority', 'user', 'note']
const LISTS = ['responders', 'visibleTo', 'actions', 'tags']
/** Parts of an alert that have no effect: routes and people are configured here. */
const WITHOUT_EFFECT = ['responders', 'visibleTo', 'actions'] as const

/** Returns what is wrong with the fields of a request, a sentence for each; empty when nothing is. */
export function alertErrors(body: Payload, required?: 'message' | 'note'): string[] {
  const errors = [
    ...TEXTS.filter((name) => !isOptional(body, name, (value) => typeof value === 'string')).map(mustBe('a text')),
    ...LISTS.filter((name) => !isOptional(body, name, Array.isArray)).map(mustBe('a list')),
    ...(isOptional(body, 'details', isObject) ? [] : ['details must be an object']),
  ]
  if (required !== undefined && textAt(body, [required]) === '') errors.push(`${required} is missing or blank`)
  if (textAt(body, ['alias']).length > MAX_ALIAS) errors.push(`alias must have at most ${MAX_ALIAS} characters`)
  return errors
}

const mustBe = (kind: string) => (name: string) => `${name} must be ${kind}`

function isOptional(body: Payload, name: string, is: (value: unknown) => boolean): boolean {
  const value = own(body, name)
  return value === undefined || value === null || is(value)
}

/** Returns the parts of an alert that the request has and that have no effect. */
export const withoutEffect = (body: Payload): string[] =>
  WITHOUT_EFFECT.filter((name) => (own(body, name) as readonly unknown[] | undefined)?.length)

/** Name of an alert, and the payload of its latest incident; undefined: retention has deleted it. */
export interface OpenAlert {
  readonly integration: string
  readonly alias: string
  readonly last?: Payload | undefined
}

/** Returns the payload of the incident of a create request. */
export const createPayload = (body: Payload, integration: string, alias: string): Payload => ({
  ...body,
  ...{ action: 'create', integration, alias },
})

/** Returns the payload of the incident of a close request: what the alert said last, so that rules find its labels again. */
export const closePayload = (
  body: Payload,
  { integration, alias, last }: OpenAlert,
  { title: message, service: entity, severity: priority }: Words,
): Payload => ({ message, entity, priority, ...last, ...body, ...{ action: 'close', integration, alias } })

/** Returns who sent the request: its user, else its source. */
export const askerOf = (body: Payload): string => textAt(body, ['user', 'source'])
