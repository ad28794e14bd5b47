import type { AgentStatus } from '../api/agent/agent.ts'
import type { DoorStatus } from '../api/door.ts'
import type { IntakeFigures } from '../api/replica.ts'
import type { TopicStatus } from '../api/topic.ts'
import type { ClusterStatus } from '../cluster/contract.ts'
import type { ServerState } from '../cluster/server-watch.ts'
import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { Journal } from '../journal/contract.ts'
import type { CellStatus } from '../kernel/cell.ts'
import type { EventLoopReading } from '../kernel/event-loop-monitor.ts'
import type { LinkCounts } from '../kernel/link.ts'
import type { HeartbeatState } from '../store/heartbeats/heartbeats.ts'
import type { NoisePort } from '../store/noise/queries/port.ts'
import type { SilenceState } from '../store/noise/silences/open.ts'
import type { RunsState } from '../store/oncall/records.ts'
import type { SchedulesState } from '../store/oncall/schedules.ts'
import type { PingCounts } from '../store/ports/heartbeats.ts'
import type { StoreState } from '../store/status.ts'
import type { Buckets } from './histogram.ts'
import type { Meters } from './meters.ts'

/** The state of the service at one moment. `stats.ts` and `metrics.ts` make their answers from it. */
export interface Snapshot {
  /** Epoch milliseconds. */
  readonly at: number
  readonly startedAt: number
  readonly version: string
  readonly meters: Meters
  readonly rssBytes: number
  readonly threads: readonly ThreadSnapshot[]
  readonly actors: readonly ActorSnapshot[]
  /** Links of all threads that answered in time. */
  readonly links: readonly LinkSnapshot[]
  /** Enabled channels. */
  readonly channels: readonly ChannelName[]
  /** Absent when the journal thread did not answer in time. */
  readonly journal?: Journal['size']
  /** Absent when the store thread did not answer in time. */
  readonly storage?: StorageSnapshot
  /** Absent when the send thread did not answer in time. */
  readonly senders?: readonly SenderSnapshot[]
  /** Absent when the agent is not enabled, or did not answer in time. */
  readonly agent?: Required<AgentStatus> & { readonly mode: string }
  readonly topic: TopicStatus
  readonly doors: readonly DoorStatus[]
  /** Absent while the door of the Alertmanager API is off. */
  readonly alerts?: AlertFigures
  readonly answers: AnswerFigures
  readonly mcp: McpFigures
  readonly brief: BriefFigures
  /** Clients of the live tail. */
  readonly tailClients: number
  /** Only with a database that replicas share. */
  readonly cluster?: ClusterSnapshot
}

/** What came back from messages; counts since the process started. */
export interface AnswerFigures {
  /** By way, action and result, with blanks between them. */
  readonly presses: ReadonlyMap<string, number>
  /** By channel and reason, with a blank between them. */
  readonly reconnects: ReadonlyMap<string, number>
  readonly tookMs: Buckets
  readonly repliesDropped: number
  /** Receivers of this replica; empty where it does not lead. */
  readonly receivers: readonly { readonly channel: ChannelName; readonly isUp: boolean }[]
}

/** Calls of the Model Context Protocol; counts since the process started. Empty while `/mcp` is off. */
export interface McpFigures {
  /** By tool, name of the token and outcome, with blanks between them. */
  readonly calls: ReadonlyMap<string, number>
  /** Requests by the code of their refusal. */
  readonly refused: ReadonlyMap<string, number>
  /** Actions that were done. */
  readonly confirmed: ReadonlyMap<string, number>
  /** By tool. */
  readonly tookMs: ReadonlyMap<string, Buckets>
}

/** Briefs of problems and changes; counts since the process started. */
export interface BriefFigures {
  readonly tookMs: Buckets
  /** Sections that were left out, by name. */
  readonly late: ReadonlyMap<string, number>
  /** By outcome. */
  readonly changes: ReadonlyMap<string, number>
}

/** Alerts of the Alertmanager API; counts since the process started. */
export interface AlertFigures {
  readonly states: { readonly [state: string]: number }
  readonly received: { readonly firing: number; readonly resolved: number }
  readonly unchanged: number
  readonly invalid: number
  readonly timedOut: number
  /** Time that the last look at all claims took. */
  readonly lookMs: number
}

/** This replica among those that share a database, as of its last beat. */
export interface ClusterSnapshot extends ClusterStatus, ServerState {
  /** The intake of every replica, this one included; absent before its first beat with figures. */
  readonly intakes: readonly {
    readonly name: string
    readonly self: boolean
    readonly figures?: IntakeFigures | undefined
  }[]
}

export interface ThreadSnapshot {
  readonly name: string
  /** The supervisor's state of the thread, or `silent`: up, but it did not answer in time. */
  readonly state: string
  readonly restarts: number
  /** Absent when the thread did not answer. */
  readonly eventLoop?: EventLoopReading
}

export interface ActorSnapshot extends CellStatus {
  readonly thread: string
}

/** One end of a link; counts since its thread was started. */
export interface LinkSnapshot extends Readonly<LinkCounts> {
  readonly thread: string
  readonly peer: string
}

/** `incidents` counts the journal too. */
type NoiseState = ReturnType<NoisePort['state']>

export interface StorageSnapshot extends StoreState, NoiseState {
  readonly heartbeats: readonly HeartbeatState[]
  readonly pings: PingCounts
  readonly silences: SilenceState
  /** Absent: no schedule of on-call is configured. */
  readonly schedules?: SchedulesState
  /** Absent: no escalation is configured. */
  readonly runs?: RunsState
  /** Times of firing; absent: no history is kept. */
  readonly openings?: number
  /** Incidents that are committed and not applied. */
  readonly unappliedIncidents: number
  /** Age of the oldest incident that is committed and not applied; 0 when none waits. */
  readonly applyLagMs: number
}

interface SenderSnapshot {
  readonly channel: ChannelName
  readonly destinations: readonly { readonly circuit: string }[]
}

/** Returns the number of intake requests that wait for the disk, over all fronts. */
export const inflightOf = ({ actors }: Snapshot) =>
  actors.reduce((sum, { name, occupied }) => (/^ingest(\/|$)/.test(name) ? sum + occupied : sum), 0)

/** Returns the number of destinations whose circuit is not closed. */
export const openCircuitsOf = (senders: readonly SenderSnapshot[]) =>
  senders.flatMap(({ destinations }) => destinations).filter(({ circuit }) => circuit !== 'closed').length
