import { isDeepStrictEqual } from 'node:util'
import type { SentMatcher, SilenceSettings } from '../policy/silences/settings.ts'
import { errorText } from '../text/error-text.ts'
import { isObject, type JsonObject } from '../text/json-object.ts'
import { BadRequest } from './body.ts'
import { conditionsOf, matchersOf } from './conditions.ts'
import { matchesEmpty, operatorOf } from './matchers.ts'

/** A silence as a client posts it, with times in epoch milliseconds. */
export interface PostedSilence {
  /** Undefined: a new one. */
  readonly id: string | undefined
  readonly matchers: readonly SentMatcher[]
  readonly annotations: { readonly [name: string]: string }
  readonly startsAt: number
  readonly endsAt: number
  readonly createdBy: string
  readonly comment: string
}

/** A stored silence, as its readers see it. Times are ISO 8601. */
interface ShownSilence {
  readonly id: number
  readonly state: 'scheduled' | 'active' | 'ended'
  readonly settings: SilenceSettings
  readonly starts_at: string
  readonly ends_at: string | null
  /** Epoch milliseconds. */
  readonly changedAt: number
}

const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z')
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/
const MAX_NAME = 100

/**
 * Reads the body of `POST /api/v2/silences`.
 *
 * @param now epoch milliseconds
 * @throws BadRequest
 */
export function readSilence(body: unknown, now: number): PostedSilence {
  if (!isObject(body)) throw new BadRequest('the body must be a JSON object')
  const startsAt = timeOf(body, 'startsAt') ?? now
  const endsAt = timeOf(body, 'endsAt')
  if (endsAt === undefined) throw new BadRequest('endsAt in body is required')
  if (startsAt >= endsAt) throw new BadRequest('Failed to create silence: start time must be before end time')
  if (endsAt < now) throw new BadRequest("Failed to create silence: end time can't be in the past")
  const matchers = matchersIn(body.matchers)
  if (matchers.map(fitsEmpty).every(Boolean))
    throw new BadRequest('invalid silence: at least one matcher must not match the empty string')
  return {
    id: textOf(body, 'id') || undefined,
    matchers,
    annotations: annotationsIn(body.annotations ?? {}),
    startsAt,
    endsAt,
    createdBy: textOf(body, 'createdBy').trim() || 'alertmanager API',
    comment: textOf(body, 'comment').trim() || 'no comment',
  }
}

function matchersIn(list: unknown): SentMatcher[] {
  if (!Array.isArray(list) || list.length === 0) throw new BadRequest('matchers in body is required')
  return list.map((raw: unknown, at) => {
    const { name, value, isRegex = false, isEqual = true } = isObject(raw) ? raw : {}
    if (typeof name !== 'string' || typeof value !== 'string')
      throw new BadRequest(`matchers.${at} has no name or value`)
    if (typeof isRegex !== 'boolean' || typeof isEqual !== 'boolean')
      throw new BadRequest(`isRegex and isEqual of matchers.${at} must be true or false`)
    if (name === '') throw new BadRequest(`invalid silence: invalid label name "" of matcher ${at}`)
    return { name: name.toWellFormed(), value: value.toWellFormed(), isRegex, isEqual }
  })
}

/** Throws BadRequest for a regular expression that RE2 refuses. */
function fitsEmpty(matcher: SentMatcher): boolean {
  try {
    return matchesEmpty(matcher)
  } catch (error) {
    const { name, value } = matcher
    throw new BadRequest(
      `invalid silence: invalid regular expression ${JSON.stringify(value)} of ${name}: ${errorText(error)}`,
    )
  }
}

function annotationsIn(raw: unknown): PostedSilence['annotations'] {
  if (!isObject(raw) || !Object.values(raw).every((value) => typeof value === 'string'))
    throw new BadRequest('annotations must be texts by name')
  return raw as PostedSilence['annotations']
}

function textOf(body: JsonObject, key: string): string {
  const value = body[key] ?? ''
  if (typeof value === 'string') return value.toWellFormed()
  throw new BadRequest(`${key} must be text`)
}

function timeOf(body: JsonObject, key: string): number | undefined {
  const written = textOf(body, key)
  if (written === '') return undefined
  const ms = TIME.test(written) ? Date.parse(written.toUpperCase().replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(ms)) throw new BadRequest(`${key} must be a time such as 2026-03-09T02:41:17Z`)
  return ms === ZERO_TIME ? undefined : ms
}

/** Returns the settings of a new silence. One that should have begun begins now. */
export function settingsOf(posted: PostedSilence, now: number): SilenceSettings {
  const { matchers, annotations, startsAt, endsAt, createdBy, comment } = posted
  return {
    name: matchers.map(wordOf).join(', ').slice(0, MAX_NAME),
    where: '',
    conditions: conditionsOf(matchers),
    startsAt: Math.max(startsAt, now),
    endsAt,
    untilResolved: false,
    owner: createdBy,
    comment,
    asSent: { matchers, annotations, changedAt: now },
  }
}

const wordOf = ({ name, value, ...matcher }: SentMatcher) => `${name}${operatorOf(matcher)}${JSON.stringify(value)}`

/** Returns whether a live silence is changed in place; otherwise it ends, and a new one begins. */
export function isChange({ state, settings, starts_at }: ShownSilence, posted: PostedSilence, now: number): boolean {
  if (
    state === 'ended' ||
    settings.schedule !== undefined ||
    !isDeepStrictEqual(sentMatchersOf(settings), posted.matchers)
  )
    return false
  const second = (ms: number) => Math.floor(ms / 1_000)
  return state === 'active'
    ? second(Date.parse(starts_at)) === second(posted.startsAt) && posted.endsAt >= now
    : posted.startsAt >= now
}

const sentMatchersOf = ({ asSent, conditions }: SilenceSettings) => asSent?.matchers ?? matchersOf(conditions)

const STATES = { scheduled: 'pending', active: 'active', ended: 'expired' } as const

/** Returns a silence as the API shows it. */
export function silenceJson({ id, state, settings, starts_at, ends_at, changedAt }: ShownSilence) {
  const { annotations = {} } = settings.asSent ?? {}
  return {
    id: uuidOf(id),
    status: { state: STATES[state] },
    updatedAt: new Date(changedAt).toISOString(),
    comment: settings.comment,
    createdBy: settings.owner,
    endsAt: ends_at ?? new Date(settings.endsAt).toISOString(),
    startsAt: starts_at,
    matchers: sentMatchersOf(settings),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}
type SilenceJson = ReturnType<typeof silenceJson>

/** Active ones by their end, pending ones by their begin, then expired ones, the latest first. */
export function bySilenceOrder(a: SilenceJson, b: SilenceJson): number {
  const order = ['active', 'pending', 'expired']
  const states = order.indexOf(a.status.state) - order.indexOf(b.status.state)
  if (states !== 0) return states
  if (a.status.state === 'pending') return a.startsAt.localeCompare(b.startsAt)
  return a.status.state === 'active' ? a.endsAt.localeCompare(b.endsAt) : b.endsAt.localeCompare(a.endsAt)
}

/** Returns whether a silence has each of the matchers. */
export const hasMatchers = ({ matchers }: Pick<SilenceJson, 'matchers'>, wanted: readonly SentMatcher[]): boolean =>
  wanted.every((one) => matchers.some((each) => isDeepStrictEqual(each, one)))

/** In front of the number of a silence: version 8, whose content is free. */
const UUID_PREFIX = '746f6373-696e-8000-8000-'

/** Returns the number of a silence as a UUID. Nothing of it is stored. */
export const uuidOf = (id: number): string => UUID_PREFIX + id.toString(16).padStart(12, '0')

/** Undefined: it is the UUID of no silence. */
export function silenceNumber(uuid: string): number | undefined {
  const text = uuid.toLowerCase()
  return /^746f6373-696e-8000-8000-[0-9a-f]{12}$/.test(text) ? Number.parseInt(text.slice(-12), 16) : undefined
}
