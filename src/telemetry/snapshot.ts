import type { ChannelName } from '../domain/delivery.ts'
import type { Meters } from './meters.ts'

/** How everything is doing at one moment: what `GET /api/admin/stats` and `GET /metrics` say in their own ways. */
export interface Snapshot {
  /** Epoch milliseconds. */
  readonly at: number
  readonly startedAt: number
  readonly version: string
  readonly meters: Meters
  readonly rssBytes: number
  readonly threads: readonly ThreadSnapshot[]
  readonly actors: readonly ActorSnapshot[]
  /** The enabled ones. */
  readonly channels: readonly ChannelName[]
  /** Absent when storage did not answer in time. */
  readonly storage?: StorageSnapshot
  /** Absent when they did not answer in time. */
  readonly senders?: readonly SenderSnapshot[]
  /** Absent when it is not enabled or did not answer in time. */
  readonly agent?: AgentSnapshot
  readonly topic: TopicSnapshot
  /** Who watches the live tail. */
  readonly tailClients: number
}

export interface ThreadSnapshot {
  readonly name: string
  /** `silent`: it is up and did not answer in time. */
  readonly state: string
  readonly restarts: number
  /** Absent when it did not answer. */
  readonly eventLoop?: {
    readonly utilization: number
    readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
  }
}

export interface ActorSnapshot {
  readonly name: string
  readonly thread: string
  readonly state: string
  readonly queued: number
  /** Messages let in and not settled. */
  readonly occupied: number
  readonly capacity: number
  readonly refused: number
  readonly restarts: number
  readonly deadLetters: { readonly [kind: string]: number }
}

export interface StorageSnapshot {
  readonly incidents: number
  /** Of these, on disk and in no list yet. */
  readonly unappliedIncidents: number
  /** Of these, set aside because they cannot be filed. */
  readonly quarantinedIncidents: number
  readonly finishedIncidents: number
  readonly unfinishedDeliveries: number
  readonly unknownSettlements: number
  /** Incidents that a search has to read, not being in the index yet. */
  readonly unindexed: number
  readonly channels: { readonly [channel in ChannelName]: ChannelSnapshot }
  readonly unacknowledgedFiring: number
  readonly oncall: { readonly armed: number; readonly overdue: number }
  readonly databaseBytes: number
  readonly walBytes: number
}

interface ChannelSnapshot {
  /** Epoch milliseconds; undefined unless paused. */
  readonly pausedAt: number | undefined
  readonly backlog: {
    readonly pending: number
    readonly sending: number
    /** Epoch milliseconds. */
    readonly oldestPendingAt: number | undefined
  }
  /** Deliveries that were given up and not replayed. */
  readonly deadNow: number
}

export interface SenderSnapshot {
  readonly channel: ChannelName
  /** On the wire. */
  readonly sending: number
  readonly destinations: readonly { readonly circuit: string }[]
}

export interface AgentSnapshot {
  readonly mode: string
  /** Milliseconds, of the source that is furthest behind. */
  readonly lag: number
  readonly lines_per_s: number
  readonly lines: number
  readonly patterns: number
  readonly faults: number
  readonly waiting_findings: number
  readonly sources: readonly { readonly name: string; readonly lag_ms: number; readonly state: string }[]
  readonly ai: { readonly calls_last_hour: number; readonly max_calls_per_hour: number }
}

export interface TopicSnapshot {
  readonly enabled: boolean
  readonly subscription: { readonly state: string } | null
  readonly messages: { readonly taken: number; readonly refused: { readonly [code: string]: number } }
}

/** Requests that are accepted and not answered yet. */
export const inflightOf = ({ actors }: Snapshot) =>
  actors.reduce((sum, { name, occupied }) => (/^ingest(\/|$)/.test(name) ? sum + occupied : sum), 0)

/** Destinations that are not sent to for now. */
export const openCircuitsOf = (senders: readonly SenderSnapshot[]) =>
  senders.flatMap(({ destinations }) => destinations).filter(({ circuit }) => circuit !== 'closed').length
