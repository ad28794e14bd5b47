import type { Ping, Reason } from '../../domain/heartbeat.ts'
import type { Status } from '../../domain/incident.ts'

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
