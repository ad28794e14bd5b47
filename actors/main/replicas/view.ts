import type { IntakeFigures } from '../../../src/api/replica.ts'
import type { ClusterSnapshot } from '../../../src/telemetry/snapshot.ts'

export interface Leader {
  readonly name: string
  /** Base address for the other replicas; '': they cannot ask it. */
  readonly address: string
  /** This process leads. */
  readonly self: boolean
}

/** A replica whose lease has not ended, as of this replica's last beat. */
export interface Replica {
  readonly name: string
  readonly address: string
  readonly version: string
  readonly leads: boolean
  readonly self: boolean
  /** Start of its process, in epoch milliseconds. */
  readonly startedAt: number
  /** Age of its last beat. */
  readonly lastBeatMs: number
  readonly leaseLeftMs: number
  /** Its clock minus that of the database. */
  readonly clockOffsetMs: number | undefined
  readonly figures: IntakeFigures | undefined
}

/** The replicas that share the database, as main sees them. Synchronous: it answers from the last beat. */
export interface ClusterView {
  /** Undefined while no replica leads. */
  leader(): Leader | undefined
  /** `changed` is called after `leader()` has changed. */
  watch(changed: () => void): void
  replicas(): readonly Replica[]
  status(): Omit<ClusterSnapshot, 'intakes'>
}
