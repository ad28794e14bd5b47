import { CHANNEL_NAMES, type ChannelName, DELIVERY_STATES } from '../../../src/domain/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { type Payload, SOURCES, STATUSES } from '../../../src/domain/incident.ts'
import {
  type DeliveryFilter,
  type IncidentFilter,
  type ReplayFilter,
  TOLD,
} from '../../../src/store/incidents/filters.ts'
import type { DigestFilter, SilenceFilter } from '../../../src/store/noise/queries/filters.ts'
import type { ProblemFilter } from '../../../src/store/problems/queries/filter.ts'
import { isObject } from '../../../src/text/json-object.ts'

const DEFAULT_LIMIT = 50
const PAGING = ['limit', 'cursor']

export function incidentFilter(query: URLSearchParams): IncidentFilter {
  const paging = page(query, [
    ...PAGING,
    'q',
    'status',
    'severity',
    'service',
    'channel',
    'source',
    'told',
    'rule',
    'digest',
  ])
  return {
    ...paging,
    ...given({
      q: query.get('q'),
      status: oneOf(query, 'status', STATUSES),
      source: oneOf(query, 'source', SOURCES),
      channel: oneOf(query, 'channel', CHANNEL_NAMES),
      severity: query.get('severity')?.toLowerCase(),
      service: query.get('service'),
      told: oneOf(query, 'told', TOLD),
      rule: query.get('rule'),
      digest: query.has('digest') ? wholeNumber(query, 'digest') : undefined,
    }),
  }
}

export function problemFilter(query: URLSearchParams): ProblemFilter {
  const names = ['q', 'status', 'severity', 'service', 'source', 'acknowledged']
  const paging = page(query, [...PAGING, ...names])
  return {
    ...paging,
    ...given({
      q: query.get('q'),
      status: oneOf(query, 'status', STATUSES),
      source: oneOf(query, 'source', SOURCES),
      severity: query.get('severity')?.toLowerCase(),
      service: query.get('service'),
      acknowledged: flagOf(query, 'acknowledged'),
    }),
  }
}

export function digestFilter(query: URLSearchParams): DigestFilter {
  const open = flagOf(query, 'open')
  const destination = query.get('destination')
  return {
    ...page(query, [...PAGING, 'open', 'destination']),
    ...(open !== undefined && { open }),
    ...(destination !== null && { destination: destinationOf(destination) }),
  }
}

export function silenceFilter(query: URLSearchParams): SilenceFilter {
  const state = oneOf(query, 'state', ['active', 'scheduled', 'ended'])
  return { ...page(query, [...PAGING, 'state']), ...(state && { state }) }
}

/** Reads `chatws`, or `chatws:payments`. */
function destinationOf(text: string): { readonly channel: ChannelName; readonly target: string | null } {
  const [name, ...target] = text.split(':')
  return { channel: channelOf(name), target: target.length === 0 ? null : target.join(':') }
}

function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  if (!/^\d{1,15}$/.test(text)) throw new CodedError('bad_parameter', `${name} must be a whole number`)
  return Number(text)
}

export function deliveryFilter(query: URLSearchParams): DeliveryFilter {
  const state = oneOf(query, 'state', DELIVERY_STATES)
  const channel = oneOf(query, 'channel', CHANNEL_NAMES)
  return { ...page(query, [...PAGING, 'state', 'channel']), ...(state && { state }), ...(channel && { channel }) }
}

/**
 * Reads `{state: "dead", channel?, id?}`: dead letters of all channels or one, of all incidents or one. Throws
 * bad_parameter.
 */
export function replayFilter(body: unknown): ReplayFilter {
  const { state, channel, id } = objectOf(body, 'the body')
  if (state !== 'dead') throw new CodedError('bad_parameter', 'state must be "dead": only dead deliveries are replayed')
  if (id !== undefined && typeof id !== 'string') throw new CodedError('bad_parameter', "id must be an incident's id")
  return {
    state,
    ...(channel === undefined ? {} : { channel: channelOf(channel) }),
    ...(id === undefined ? {} : { id }),
  }
}

export function objectOf(value: unknown, what: string): Payload {
  if (isObject(value)) return value
  throw new CodedError('bad_parameter', `${what} must be a JSON object`)
}

export function channelOf(name: unknown): ChannelName {
  const channel = CHANNEL_NAMES.find((known) => known === name)
  if (!channel) throw new CodedError('bad_parameter', `channel must be one of ${CHANNEL_NAMES.join(', ')}`)
  return channel
}

/** Throws bad_parameter for an unknown name: an ignored filter would answer with too much. */
function refuseUnknown(query: URLSearchParams, names: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !names.includes(name))
  if (unknown === undefined) return
  const message = `${JSON.stringify(unknown.slice(0, 100))} is not known here; there are: ${names.join(', ')}`
  throw new CodedError('bad_parameter', message)
}

/** Reads the page of a list that takes the parameters `names`. Throws bad_parameter, also for a parameter of another name. */
export function page(query: URLSearchParams, names: readonly string[]): { limit: number; cursor?: string } {
  refuseUnknown(query, names)
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new CodedError('bad_parameter', 'limit must be a whole number from 1 to 500')
  }
  const cursor = query.get('cursor')
  return cursor === null ? { limit } : { limit, cursor }
}

function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const value = values.find((each) => each === given)
  if (value === undefined) throw new CodedError('bad_parameter', `${name} must be one of ${values.join(', ')}`)
  return value
}

function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const flag = oneOf(query, name, ['true', 'false'])
  return flag === undefined ? undefined : flag === 'true'
}

type Given<T> = { [Name in keyof T]?: NonNullable<T[Name]> }

/** Returns the fields without those that are absent or ''. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && value !== '')) as Given<T>

/** Reads the number of a `what`, such as a digest, out of a path. Throws not_found. */
export function numberOf(text = '', what: string): number {
  return known(/^\d{1,15}$/.test(text) ? Number(text) : undefined, what)
}

/** Throws not_found when no `what` of the number was found. */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new CodedError('not_found', `no ${what} has this number`)
  return found
}
