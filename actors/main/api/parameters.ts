import { ANSWER_RESULTS, ANSWER_WAYS } from '../../../src/domain/answer.ts'
import { CHANNEL_NAMES, type ChannelName, DELIVERY_STATES } from '../../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { type Payload, SOURCES, STATUSES } from '../../../src/domain/incident.ts'
import type { AnswerFilter } from '../../../src/store/answers/filter.ts'
import {
  type DeliveryFilter,
  type IncidentFilter,
  NOTIFIED,
  type ReplayFilter,
} from '../../../src/store/incidents/filters.ts'
import type { DigestFilter, PlaceFilter, SilenceFilter } from '../../../src/store/noise/queries/filters.ts'
import type { ProblemFilter } from '../../../src/store/problems/queries/read.ts'
import { timeWithZone } from '../../../src/text/iso-time.ts'
import { isObject } from '../../../src/text/json-object.ts'

/** Size of a page, by default and at most. */
const LIMIT = { fallback: 50, max: 500 }
const PAGING = ['limit', 'cursor']

export const incidentFilter = (query: URLSearchParams): IncidentFilter =>
  listFilter(query, {
    q: text,
    status: oneOf(STATUSES),
    severity: lowerCase,
    service: text,
    channel: oneOf(CHANNEL_NAMES),
    source: oneOf(SOURCES),
    notified: oneOf(NOTIFIED),
    rule: text,
    digest: wholeNumber,
  })

export const problemFilter = (query: URLSearchParams): ProblemFilter =>
  listFilter(query, {
    q: text,
    status: oneOf(STATUSES),
    severity: lowerCase,
    service: text,
    source: oneOf(SOURCES),
    acknowledged: flag,
  })

export const answerFilter = (query: URLSearchParams): AnswerFilter =>
  listFilter(query, { problem: wholeNumber, by: text, via: oneOf(ANSWER_WAYS), result: oneOf(ANSWER_RESULTS) })

export const digestFilter = (query: URLSearchParams): DigestFilter =>
  listFilter(query, { open: flag, destination: destinationOf })

export const placeFilter = (query: URLSearchParams, number: number): PlaceFilter => ({
  ...listFilter(query, {}),
  number,
})

export const silenceFilter = (query: URLSearchParams): SilenceFilter =>
  listFilter(query, { state: oneOf(['active', 'scheduled', 'ended']) })

export const deliveryFilter = (query: URLSearchParams): DeliveryFilter =>
  listFilter(query, { state: oneOf(DELIVERY_STATES), channel: oneOf(CHANNEL_NAMES) })

/** Reads one parameter. Throws bad_parameter. */
type Reader = (given: string, name: string) => unknown

/**
 * Reads the page of a list, and the parameters that narrow it; without those that are absent or ''. Throws bad_parameter,
 * also for a parameter of another name: an ignored filter would answer with too much.
 */
function listFilter<R extends { readonly [name: string]: Reader }>(query: URLSearchParams, readers: R) {
  refuseUnknown(query.keys(), [...PAGING, ...Object.keys(readers)])
  const cursor = query.get('cursor')
  const narrowing = Object.entries(readers).flatMap(([name, read]) => {
    const given = query.get(name)
    const value = given === null ? '' : read(given, name)
    return value === '' ? [] : [[name, value] as const]
  })
  return {
    limit: wholeIn(query, 'limit', LIMIT),
    ...(cursor !== null && { cursor }),
    ...(Object.fromEntries(narrowing) as { [Name in keyof R]?: ReturnType<R[Name]> }),
  }
}

const text = (given: string) => given
const lowerCase = (given: string) => given.toLowerCase()
const flag = (given: string, name: string) => oneOf(['true', 'false'])(given, name) === 'true'

/** Returns what reads one of the values. It throws bad_parameter. */
export function oneOf<const T extends string>(values: readonly T[]) {
  return (given: unknown, name: string): T => {
    const value = values.find((each) => each === given)
    if (value === undefined) throw new CodedError('bad_parameter', `${name} must be one of ${values.join(', ')}`)
    return value
  }
}

/** Reads a whole number from 1 on. Throws bad_parameter. */
export function wholeIn(
  query: URLSearchParams,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const given = query.get(name) ?? String(fallback)
  const value = /^\d{1,9}$/.test(given) ? Number(given) : 0
  if (value >= 1 && value <= max) return value
  throw new CodedError('bad_parameter', `${name} must be a whole number from 1 to ${max}`)
}

/** Reads a time with its zone, as epoch milliseconds. Throws bad_parameter. */
export function timeOf(value: unknown, name: string): number {
  const ms = typeof value === 'string' ? timeWithZone(value) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  const example = '2027-06-30T02:00:00Z or 2027-06-30T04:00:00+02:00'
  throw new CodedError('bad_parameter', `${name} must be a time with its zone, such as ${example}`)
}

function wholeNumber(given: string, name: string): number {
  if (!/^\d{1,15}$/.test(given)) throw new CodedError('bad_parameter', `${name} must be a whole number`)
  return Number(given)
}

/** Reads `chatws`, or `chatws:payments`. */
function destinationOf(given: string): { readonly channel: ChannelName; readonly target: string | null } {
  const [name, ...target] = given.split(':')
  return { channel: channelOf(name), target: target.length === 0 ? null : target.join(':') }
}

/**
 * Reads `{state: "dead", channel?, id?, target?}`: dead letters of all channels or one, of all incidents or one, to all
 * destinations or one. Throws bad_parameter.
 */
export function replayFilter(body: unknown): ReplayFilter {
  const { state, channel, id, target } = objectOf(body, 'the body')
  if (state !== 'dead') throw new CodedError('bad_parameter', 'state must be "dead": only dead deliveries are replayed')
  if (id !== undefined && typeof id !== 'string') throw new CodedError('bad_parameter', "id must be an incident's id")
  if (target !== undefined && target !== null && typeof target !== 'string')
    throw new CodedError('bad_parameter', 'target must be the name of a destination, or null for the default one')
  return {
    state,
    ...(channel === undefined ? {} : { channel: channelOf(channel) }),
    ...(id === undefined ? {} : { id }),
    ...(target === undefined ? {} : { target }),
  }
}

export function objectOf(value: unknown, what: string): Payload {
  if (isObject(value)) return value
  throw new CodedError('bad_parameter', `${what} must be a JSON object`)
}

export const channelOf = (name: unknown): ChannelName => oneOf(CHANNEL_NAMES)(name, 'channel')

/** Throws bad_parameter when one of the given names is not among those that are known. */
export function refuseUnknown(given: Iterable<string>, names: readonly string[]): void {
  const unknown = [...given].find((name) => !names.includes(name))
  if (unknown === undefined) return
  const message = `${JSON.stringify(unknown.slice(0, 100))} is not known here; there are: ${names.join(', ')}`
  throw new CodedError('bad_parameter', message)
}

/** Reads the number of a `what`, such as a digest, out of a path. Throws not_found. */
export function numberOf(text = '', what: string): number {
  return known(/^\d{1,15}$/.test(text) ? Number(text) : undefined, what)
}

/** Throws not_found when no `what` of the number was found. */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new CodedError('not_found', `no ${what} has this number`)
  return found
}
