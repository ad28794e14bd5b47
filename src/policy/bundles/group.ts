import { createHash } from 'node:crypto'
import { graphemeStart } from '../../text/graphemes.ts'
import { FIELDS, type Field, type LabelsOf, labelOf, type Subject, SubjectReader } from '../fields.ts'

/** Incidents with equal values of `by` share a message. */
export interface GroupSettings {
  /** At most `MAX_PARTS`: names of fields, `labels.<name>` or `payload.<path>`. Empty: all incidents are one group. */
  readonly by: readonly string[]
  /** Time between two messages of a group where none can be edited, and the longest one between two that ring. */
  readonly intervalMs: number
}

/** The grouping of an incident by its decision. */
export interface DecidedGroup extends GroupSettings {
  /** Name of the rule; empty: `noise.group`. */
  readonly rule: string
}

/** The group of one incident. */
export interface IncidentGroup {
  /** Equal for incidents of one rule with equal values; 27 characters. */
  readonly key: string
  readonly intervalMs: number
  /** Returns its values by name, in the order of `by`, without those that the incident lacks. */
  named(): NamedValues
}

interface NamedValues {
  readonly [part: string]: string
}

/** Returns the group of an incident with the decision about it; undefined: it is in none. */
export type GroupOf = (subject: Subject, group: DecidedGroup) => IncidentGroup | undefined

export const MAX_PARTS = 8
/** Fields in which the firing and the resolved incidents of one problem differ, or problems always do. */
const UNFIT: ReadonlySet<string> = new Set<Field>(['status', 'severity', 'fingerprint'])
/** A value is shown to people and pagers up to this length; the key has all of it. */
const MAX_VALUE = 200

/** Throws an error whose message follows the name of a part that cannot be grouped by. */
export function checkPart(part: string): void {
  if (UNFIT.has(part))
    throw new Error(`is no field to group by: incidents of one problem, or all problems, differ in it`)
  if (FIELDS.some((name) => name === part) || /^(?:labels|payload)\../.test(part)) return
  throw new Error(`is not a field; known: ${KNOWN_PARTS.join(', ')}`)
}

const KNOWN_PARTS = [...FIELDS.filter((name) => !UNFIT.has(name)), 'labels.<name>', 'payload.<path>']

/** Returns a value for each part; empty where the incident has none, or its alerts differ. */
export const groupValues = (by: readonly string[], reader: SubjectReader): readonly string[] =>
  by.map((part) => {
    const [first = '', ...others] = valuesOf(part, reader)
    return others.every((other) => other === first) ? first : ''
  })

function valuesOf(part: string, reader: SubjectReader): readonly string[] {
  if (part.startsWith('labels.'))
    return reader.labelSets().map((labels) => labelOf(labels, part.slice('labels.'.length)))
  if (part.startsWith('payload.')) return reader.payloadValues(part.slice('payload.'.length))
  return [reader.field(part as Field)]
}

/** Returns the key of a rule's group; undefined: there is none of the values. */
export function groupKey(rule: string, by: readonly string[], values: readonly string[]): string | undefined {
  if (by.length > 0 && values.every((value) => value === '')) return undefined
  return createHash('sha1')
    .update(JSON.stringify([rule, by, values]))
    .digest('base64url')
}

/** Opens `GroupOf`. It parses the payload where a label or a value of it is grouped by. */
export const openGroupOf =
  (labelsOf: LabelsOf): GroupOf =>
  (subject, { rule, by, intervalMs }) => {
    const values = groupValues(by, new SubjectReader(subject, labelsOf))
    const key = groupKey(rule, by, values)
    return key === undefined ? undefined : { key, intervalMs, named: () => namedValues(by, values) }
  }

/** Returns the values that are not empty, by name. */
export function namedValues(by: readonly string[], values: readonly string[]): NamedValues {
  const named = by.map((part, at) => [part, shortened(values[at] ?? '')] as const)
  return Object.fromEntries(named.filter(([, value]) => value !== ''))
}

const shortened = (value: string) => (value.length > MAX_VALUE ? `${graphemeStart(value, MAX_VALUE)}…` : value)
