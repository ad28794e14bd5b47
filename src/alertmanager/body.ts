import { CodedError } from '../domain/errors.ts'
import { isObject } from '../text/json-object.ts'

/** One alert as a sender posts it, with times in epoch milliseconds. */
export interface PostedAlert {
  /** Fingerprint of the problem that it is: the same for equal labels. */
  readonly problem: string
  readonly labels: Texts
  readonly annotations: Texts
  readonly startsAt: number
  /** Undefined: it fires for `resolve_timeout` when it is not sent again. */
  readonly endsAt: number | undefined
  readonly generatorURL: string
}

export interface Texts {
  readonly [name: string]: string
}

export interface PostedAlerts {
  readonly valid: readonly PostedAlert[]
  /** Alerts that are refused, by their place in the list from 0. */
  readonly invalid: readonly { readonly at: number; readonly reason: string }[]
}

/** The whole request is refused: its sender does not speak this API. */
export class BadRequest extends CodedError {
  constructor(message: string) {
    super('bad_parameter', message)
  }
}

/** JSON of one alert; also the bound of Prometheus' own messages for a scrape target's labels. */
const MAX_ALERT_BYTES = 64 * 1024
/** UTF-16 units whose JSON is not larger than that, however they are written. */
const SMALL_ALERT = MAX_ALERT_BYTES / 16
/** Go's zero time, which stands for an absent one, in whatever way it is written. */
const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z')
/** Years in UTC that are written with four digits: an offset can lead out of them. */
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z')
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

interface Reading {
  /** Place of the first alert in the list. */
  readonly first: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Returns the fingerprint of the problem with these labels. */
  problemOf(labels: Texts): string
}

/**
 * Reads alerts of the body of `POST /api/v2/alerts`. They keep parts of it.
 *
 * @throws BadRequest when one is no object, or a time is none
 */
export function readAlerts(list: readonly unknown[], { first, now, problemOf }: Reading): PostedAlerts {
  const valid: PostedAlert[] = []
  const invalid: { at: number; reason: string }[] = []
  for (const [place, raw] of list.entries()) {
    const at = first + place
    if (!isObject(raw)) throw new BadRequest(`alert ${at} is no JSON object`)
    const read = readAlert(raw, at, now)
    if (typeof read === 'string') invalid.push({ at, reason: read })
    else valid.push({ problem: problemOf(read.labels), ...read })
  }
  return { valid, invalid }
}

/** Returns the alert, or why it is invalid. */
function readAlert(
  raw: { readonly [key: string]: unknown },
  at: number,
  now: number,
): Omit<PostedAlert, 'problem'> | string {
  const startsAt = timeOf(raw, 'startsAt', at)
  const endsAt = timeOf(raw, 'endsAt', at)
  const given = textsOf(raw.labels)
  if (given === undefined) return 'a label is no text, or has no name'
  const isFull = Object.values(given).every((value) => value !== '')
  const labels = isFull ? given : Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const annotations = textsOf(raw.annotations ?? {})
  if (annotations === undefined) return 'an annotation is no text, or has no name'
  if (Object.keys(labels).length === 0) return 'it has no label with a value'
  const begins = startsAt ?? endsAt ?? now
  if (endsAt !== undefined && endsAt < begins) return 'endsAt is before startsAt'
  const generatorURL = typeof raw.generatorURL === 'string' ? raw.generatorURL : ''
  const texts = [labels, annotations, { generatorURL }]
  if (mayBeLarge(texts) && Buffer.byteLength(JSON.stringify(texts)) > MAX_ALERT_BYTES) return 'it is larger than 64 KiB'
  return { labels, annotations, startsAt: begins, endsAt, generatorURL }
}

/** Returns a map of texts, `raw` itself where it can; undefined when one is no text or has no name. */
function textsOf(raw: unknown): Texts | undefined {
  if (!isObject(raw)) return undefined
  const texts = Object.entries(raw)
  if (!texts.every(isText)) return undefined
  if (texts.every(([name, value]) => name.isWellFormed() && value.isWellFormed())) return raw as Texts
  // Without a prototype's setter: a label may have any name.
  return Object.fromEntries(texts.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]))
}

const isText = (entry: [string, unknown]): entry is [string, string] => entry[0] !== '' && typeof entry[1] === 'string'

function mayBeLarge(maps: readonly Texts[]): boolean {
  let length = 0
  for (const texts of maps) for (const name in texts) length += name.length + (texts[name] as string).length
  return length > SMALL_ALERT
}

function timeOf(raw: { readonly [key: string]: unknown }, key: string, at: number): number | undefined {
  const written = raw[key]
  if (written === undefined || written === null) return undefined
  const ms = typeof written === 'string' && TIME.test(written) ? Date.parse(written.toUpperCase()) : Number.NaN
  if (Number.isNaN(ms) || ms < YEAR_0 || ms >= YEAR_10000)
    throw new BadRequest(`${key} of alert ${at} is no time such as 2026-03-09T02:41:17Z`)
  return ms === ZERO_TIME ? undefined : ms
}
