import type { Payload } from '../../domain/incident.ts'

export interface StoredAlert {
  /** As it was posted; `endsAt`: until when its sender's claim was valid. */
  readonly alert: Payload
  /** How long a claim is valid, milliseconds. */
  readonly validMs: number
  /** A person resolved its problem. */
  readonly isResolved: boolean
}

/** Some of the alerts that fire. */
export interface AlertPage {
  readonly alerts: readonly StoredAlert[]
  /** Undefined: it is the last one. */
  readonly next: string | undefined
}
