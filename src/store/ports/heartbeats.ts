import type { HeartbeatRecord } from '../../api/noise/heartbeat.ts'
import type { Ping, Reason } from '../../domain/heartbeat.ts'
import type { Status } from '../../domain/incident.ts'

/** Times are epoch milliseconds. */
export interface HeartbeatState {
  readonly name: string
  /** `back`: heard again, and the resolution of its incident is not applied yet. */
  readonly state: HeartbeatRecord['state']
  /** The last sign of life; null: none yet. */
  readonly heardAt: number | null
  /** Since when it does not beat; null: it beats. */
  readonly missingSince: number | null
  /** Of one that does not beat. */
  readonly why: Reason | null
  /** When it will be missing without another sign of life; null: it does not beat, or nothing is due. */
  readonly dueAt: number | null
  /** The begin of the run that did not end yet; null: none. */
  readonly runningSince: number | null
  readonly lastRunMs: number | null
  /** The last ping since the database thread started; null: none. */
  readonly lastPing: LastPing | null
  /** A time that was due while the service was down, and was not judged, since the last sign of life; null: none. */
  readonly notJudgedAt: number | null
}

export interface LastPing extends Omit<Ping, 'run' | 'output'> {
  /** Bytes of its output that are kept. */
  readonly outputBytes: number
}

/** Pings since the database thread started, by signal. */
export type PingCounts = { readonly [signal in Ping['signal']]: number }

/** An incident that a heartbeat has to raise; the key makes it one incident however often it is raised. */
export interface OwedIncident {
  readonly name: string
  readonly status: Status
  readonly key: string
  /** Time from which on it did not beat, epoch milliseconds. */
  readonly since: number
  readonly heardAt: number | null
  readonly why: Reason
  /** Begin of the run that did not end yet, epoch milliseconds. */
  readonly startedAt?: number
  readonly lastRunMs?: number
  /** Of a failure. */
  readonly output?: string
  /** Severity of the incident of a heartbeat that left the configuration while it did not beat; absent for others. */
  readonly left?: string
}

export interface NamedPing extends Ping {
  /** Name of the heartbeat. */
  readonly heartbeat: string
}
