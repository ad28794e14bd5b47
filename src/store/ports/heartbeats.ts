import type { HeartbeatRecord } from '../../api/noise/heartbeat.ts'
import type { Status } from '../../domain/incident.ts'

/** Times are epoch milliseconds. */
export interface HeartbeatState {
  readonly name: string
  /** `back`: heard again, and the resolution of its incident is not applied yet. */
  readonly state: HeartbeatRecord['state']
  /** The last sign of life; null: none yet. */
  readonly heardAt: number | null
  /** null: it is not missing. */
  readonly missingSince: number | null
  /** When it will be missing without another sign of life; null: it is missing. */
  readonly dueAt: number | null
}

/** An incident that a heartbeat has to raise; the key makes it one incident however often it is raised. */
export interface OwedIncident {
  readonly name: string
  readonly status: Status
  readonly key: string
  /** Time from which on it was missing, epoch milliseconds. */
  readonly since: number
  readonly heardAt: number | null
  /** Severity of the incident of a heartbeat that left the configuration while it was missing; absent for others. */
  readonly left?: string
}

/** Store thread. */
export interface HeartbeatPort {
  /** @param lateMs time for which signs of life may wait in the journal */
  owed(lateMs: number): readonly OwedIncident[]
  states(): readonly HeartbeatState[]
}
