import type { Payload, Sender } from '../../domain/incident.ts'

/** An invented payload in the format of its sender. */
export interface Sample {
  /** Unique; used as a heading in the gallery. */
  readonly name: string
  readonly sender: Sender
  readonly payload: Payload
}
