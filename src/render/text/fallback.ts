import type { TextRules } from '../../domain/delivery/message.ts'
import type { Payload, Recognized } from '../../domain/incident.ts'
import { graphemeStart } from '../../text/graphemes.ts'
import { oneLine } from '../../text/one-line.ts'
import { ESCAPERS } from './escape.ts'
import { type Fitted, fit } from './fit.ts'

/** Fields of the incident that the fallback prints. */
interface FallbackFacts extends Pick<Recognized, 'title' | 'service' | 'severity' | 'status'> {
  readonly id: string
}

interface FallbackOptions {
  readonly rules: TextRules
  /** Why the template failed, for the reader of the message. */
  readonly failure: string
  /** Address or id of the incident. */
  readonly link: string
  readonly ackUrl?: string
}

export interface FallbackText {
  readonly text: string
  /** Set for channels with subjects. */
  readonly subject?: string
}

/**
 * Returns the message of an incident whose template failed: title, severity and service, the main fields of the
 * payload, and the failure on one line. Escaped and fitted to the limit.
 */
export function fallback(facts: FallbackFacts, payload: Payload, options: FallbackOptions): FallbackText {
  const { rules, failure, link, ackUrl } = options
  const headline = headlineOf(facts)
  const fields = mainFields(payload, facts.title)
  const about = `The template failed, so this is plain text: ${boundedLine(failure, MAX_LINE)}`
  const parts = [headline, fields.join('\n'), ackUrl ? `Acknowledge: ${ackUrl}` : '', `${about}\nSee ${link}`]
  const text = fit(escapeForChannel(parts.filter(Boolean).join('\n\n'), rules), rules, link).text
  return rules.subject ? { text, subject: headline } : { text }
}

const MAX_LINE = 300
const MAX_VALUE = 600

function headlineOf({ title, service, severity, status }: FallbackFacts): string {
  const state = status === 'resolved' ? '🟢 RESOLVED' : `🔴 ${severity.toUpperCase() || 'FIRING'}`
  return `${state} ${title}${service === '' || title.includes(service) ? '' : ` · ${service}`}`
}

/** True for HTML that does not keep line breaks. */
export const isMail = ({ escaping, subject }: TextRules): boolean => subject === true && escaping === 'html'

/** Escapes plain text for a channel. For mail it is wrapped so that HTML keeps its line breaks. */
export function escapeForChannel(text: string, rules: TextRules): string {
  const escaped = ESCAPERS[rules.escaping].escape(text)
  return isMail(rules) ? `<div style="white-space:pre-wrap;font-family:monospace">${escaped}</div>` : escaped
}

interface Field {
  readonly path: string
  readonly value: string
}

const MAX_FIELDS = 20
/** Most values of a payload that are read. */
const MAX_VISITED = 500
const MAX_DEPTH = 6
/** Names of the fields that are printed first. */
const MAIN_FIELD_NAME =
  /^(?:summary|description|message|msg|logs?|culprit|reason|newstatereason|alarmdescription|details|instance|host|url)$/i

/** Returns `path: value` of the scalars in the payload: main fields first, otherwise in the payload's order. */
function mainFields(payload: Payload, title: string): string[] {
  const fields: Field[] = []
  collectFields(payload, '', fields)
  const shown = fields.filter(({ value }) => value !== '' && value !== title)
  const isMain = ({ path }: Field) => MAIN_FIELD_NAME.test(path.slice(path.lastIndexOf('.') + 1))
  return [...shown.filter(isMain), ...shown.filter((field) => !isMain(field))]
    .slice(0, MAX_FIELDS)
    .map(({ path, value }) => `${path}: ${value}`)
}

function collectFields(value: unknown, path: string, into: Field[]): void {
  if (into.length >= MAX_VISITED || value === null || value === undefined) return
  if (typeof value !== 'object') {
    into.push({ path: boundedLine(path, MAX_LINE), value: shortened(String(value)) })
    return
  }
  if (path.split('.').length > MAX_DEPTH) return
  for (const key in value) {
    if (into.length >= MAX_VISITED) return
    if (Object.hasOwn(value, key)) collectFields((value as Payload)[key], path === '' ? key : `${path}.${key}`, into)
  }
}

function shortened(value: string): string {
  const text = value.trim()
  return text.length <= MAX_VALUE ? text : `${graphemeStart(text, MAX_VALUE)}…`
}

function boundedLine(text: string, max: number): string {
  return graphemeStart(oneLine(text), max)
}

/**
 * Fits a rendered text with a line at its end, which is never cut. `line`: plain text; undefined: there is none.
 * @param link address or id of the incident, as plain text
 */
export function fitWithLine(text: string, line: string | undefined, rules: TextRules, link: string): Fitted {
  if (line === undefined) return fit(text, rules, link)
  const last = lastLine(line, rules)
  const fitted = fit(text, withRoomFor(last, rules), link)
  return { text: fitted.text + last, cut: fitted.cut }
}

/** Adds the line to a text that was fitted to the rules of `withRoomForLine`. */
export function withLine(fitted: FallbackText, line: string | undefined, rules: TextRules): FallbackText {
  return line === undefined ? fitted : { ...fitted, text: fitted.text + lastLine(line, rules) }
}

/** Returns the rules with a limit that leaves room for the line. */
export function withRoomForLine(line: string | undefined, rules: TextRules): TextRules {
  return line === undefined ? rules : withRoomFor(lastLine(line, rules), rules)
}

const lastLine = (line: string, rules: TextRules) => `${isMail(rules) ? '' : '\n'}${escapeForChannel(line, rules)}`

/** The bytes of its JSON are at least what a text costs in any unit. */
function withRoomFor(last: string, rules: TextRules): TextRules {
  const { limit } = rules
  return { ...rules, limit: { ...limit, max: Math.max(0, limit.max - Buffer.byteLength(JSON.stringify(last))) } }
}
