import type { Payload, Recognized, Sender, Source } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'

/** Fields of an incident that conditions compare without reading its payload. */
export const FIELDS = ['sender', 'source', 'service', 'severity', 'status', 'title', 'fingerprint'] as const
export type Field = (typeof FIELDS)[number]

/** The parts of an incident that a decision reads. */
export interface Subject extends Recognized {
  readonly source: Source
  /** The JSON object, UTF-8. */
  readonly content: Uint8Array
}

/** Labels of one alert: objects of the payload, of which the first that has a name wins. */
export type LabelSet = readonly Payload[]

/** Returns the labels of a payload, one set for each of its first 256 alerts. Never throws, for any object. */
export type LabelsOf = (sender: Sender, payload: Payload) => readonly LabelSet[]

/** Alerts whose labels count: bounds the work for a group that a hostile sender makes large. */
export const MAX_ALERTS = 256
const MAX_VALUES = 256
const NO_LABELS: readonly LabelSet[] = [[]]

/** Reads values of one incident. Its payload is parsed when the first label or payload value is asked for, and once. */
export class SubjectReader {
  readonly #subject: Subject
  readonly #labelsOf: LabelsOf
  #payload: Payload | undefined
  #labelSets: readonly LabelSet[] | undefined
  readonly #values = new Map<string, readonly string[]>()

  /** `payload`: in place of the content of the subject, such as one alert of a group. */
  constructor(subject: Subject, labelsOf: LabelsOf, payload?: Payload) {
    this.#subject = subject
    this.#labelsOf = labelsOf
    this.#payload = payload
  }

  field(name: Field): string {
    return this.#subject[name]
  }

  /** Returns the labels of the first 256 alerts; one empty set when the payload has none. */
  labelSets(): readonly LabelSet[] {
    if (this.#labelSets === undefined) {
      const found = this.#labelsOf(this.#subject.sender, this.payload())
      this.#labelSets = found.length === 0 ? NO_LABELS : found
    }
    return this.#labelSets
  }

  /**
   * Returns the texts at a dotted path, at most 256. A key may hold dots itself; a number is an index of a list. A list
   * at the end yields each of its texts. Returns one empty text when there is nothing.
   */
  payloadValues(path: string): readonly string[] {
    const known = this.#values.get(path)
    if (known !== undefined) return known
    const values = textsOf(valueAt(this.payload(), path))
    this.#values.set(path, values)
    return values
  }

  payload(): Payload {
    this.#payload ??= parse(this.#subject.content)
    return this.#payload
  }
}

/** Returns the text of a label; empty when the alert does not have it. */
export function labelOf(labels: LabelSet, name: string): string {
  const holder = labels.find((each) => Object.hasOwn(each, name))
  return textOf(holder?.[name])
}

function parse(content: Uint8Array): Payload {
  try {
    const value: unknown = JSON.parse(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString())
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, path)) return (value as Payload)[path]
  const dot = path.indexOf('.')
  if (dot < 0) return undefined
  const key = path.slice(0, dot)
  return Object.hasOwn(value, key) ? valueAt((value as Payload)[key], path.slice(dot + 1)) : undefined
}

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [textOf(value)]
  const texts = value.slice(0, MAX_VALUES).map(textOf)
  return texts.length === 0 ? [''] : texts
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
