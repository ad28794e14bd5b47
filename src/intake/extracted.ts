import type { Payload, Sender } from '../domain/incident.ts'

/** How one kind of sender writes its payloads. Called for every incident, with values nobody has checked; never throws. */
export interface Shape {
  readonly sender: Sender
  matches(payload: Payload): boolean
  read(payload: Payload): Extracted
}

/** What a shape found, as the sender wrote it: unbounded, with line breaks, '' where there is nothing. */
export interface Extracted {
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly resolved: boolean
  /** Tells one thing of this sender from another, firing or resolved; '' when the payload holds nothing of the kind. */
  readonly identity: string
}
