import { hash } from 'node:crypto'
import type { Payload, Recognized, Sender } from '../domain/incident.ts'
import type { LabelsOf } from '../policy/fields.ts'
import type { AlertOf } from '../policy/silences/settings.ts'
import { graphemeStart } from '../text/graphemes.ts'
import { custom } from './custom.ts'
import { asObject, hasText, listAt } from './fields.ts'
import { labelSet } from './grouped-alerts.ts'
import { SHAPES } from './index.ts'

const MAX_TITLE = 200
const MAX_SERVICE = 100
const MAX_SEVERITY = 32

/** Reads title, service, severity, status and fingerprint out of a payload. Never throws, for any object. */
export function recognise(payload: Payload): Recognized {
  const shape = SHAPES.find((candidate) => candidate.matches(payload)) ?? custom
  const extracted = shape.read(payload)
  const { changedAt, members } = extracted
  const service = singleLine(extracted.service, MAX_SERVICE)
  const title = singleLine(extracted.title, MAX_TITLE) || (service === '' ? 'Incident' : `Incident of ${service}`)
  return {
    sender: shape.sender,
    title,
    service,
    // Lower case before the cut, because it can make a text longer.
    severity: singleLine(extracted.severity.slice(0, MAX_SEVERITY * 2).toLowerCase(), MAX_SEVERITY),
    status: extracted.resolved ? 'resolved' : 'firing',
    fingerprint: fingerprint(shape.sender, extracted.identity || `${service}: ${title}`),
    ...(changedAt === undefined ? undefined : { changedAt }),
    ...(members === undefined ? undefined : { members }),
  }
}

/** PagerDuty's limit for a dedup key. */
const MAX_CHARACTERS = 255
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const HASHED = 'sha256:'

/**
 * Returns `sender:identity`, so that two kinds of sender never have the same fingerprint. A long identity, or one that
 * is not printable ASCII, is replaced by its hash.
 */
function fingerprint(sender: Sender, identity: string): string {
  const plain = `${sender}:${identity}`
  if (plain.length <= MAX_CHARACTERS && PRINTABLE.test(identity) && !identity.startsWith(HASHED)) return plain
  return `${sender}:${HASHED}${hash('sha256', identity)}`
}

/** Returns the fingerprint of a group that is one alert, without a key; `labels`: not empty. */
export const alertFingerprint = (labels: Payload): string => fingerprint('grouped_alerts', labelSet(labels))

/** Returns the labels of a payload, one set for each of its first 256 alerts. Never throws, for any object. */
export const labelsOf: LabelsOf = (sender, payload) =>
  SHAPES.find((shape) => shape.sender === sender)?.labels(payload) ?? []

/** Bounds the work for a group that a hostile sender makes large. */
const MAX_ALERTS = 1_000

/**
 * Returns the firing alerts of a group, each as if it had come alone; of any other payload, and of a group that has
 * none, the whole. Undefined: more than 1,000.
 */
export function firingAlerts(payload: Payload): readonly AlertOf[] | undefined {
  const alerts = listAt(payload, 'alerts') ?? []
  const firing = alerts.filter((alert) => !hasText(asObject(alert), 'status', 'resolved'))
  if (firing.length > MAX_ALERTS) return undefined
  return (firing.length === 0 ? [payload] : firing.map((alert) => ({ ...payload, alerts: [alert] }))).map(alertOf)
}

function alertOf(payload: Payload): AlertOf {
  const { title, service, severity } = recognise(payload)
  return { title, service, severity, payload }
}

/** Control characters, line and paragraph separators, direction overrides, lone surrogates. */
const NOT_SINGLE_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u
const NOT_SINGLE_LINE_RUNS = /\s*[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]+\s*/gu

/** UTF-16 units of the text that are read for each unit of the result, so that a long run of blanks costs little. */
const LOOK_AHEAD = 8

/**
 * Returns the beginning of `raw` on one line: trimmed, without control characters, at most `max` units, … where cut.
 */
export function singleLine(raw: string, max: number): string {
  const near = graphemeStart(raw, max * LOOK_AHEAD)
  const text = NOT_SINGLE_LINE.test(near) ? near.replace(NOT_SINGLE_LINE_RUNS, ' ').trim() : near.trim()
  if (text.length <= max) return text
  return `${graphemeStart(text, max - 1).trimEnd()}…`
}
