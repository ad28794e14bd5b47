import type { Payload, Sender } from '../domain/incident.ts'
import type { LabelSet } from '../policy/fields.ts'

/** The payloads of one kind of sender. Its functions get unchecked values for every incident, and never throw. */
export interface Shape {
  readonly sender: Sender
  matches(payload: Payload): boolean
  read(payload: Payload): Extracted
  /** Returns the labels of each alert; most payloads hold one. */
  labels(payload: Payload): readonly LabelSet[]
}

/** Fields of a payload as the sender wrote them: of any length, with line breaks, '' where the payload has none. */
export interface Extracted {
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly resolved: boolean
  /** Equal for a firing payload and its resolution, different for two problems; '' when the payload has no such key. */
  readonly identity: string
  readonly changedAt?: number | undefined
  readonly members?: readonly string[] | undefined
}
