import type { AgentStatus } from '../api/agent.ts'
import type { IntakeFigures } from '../api/replica.ts'
import type { ChannelName } from '../domain/delivery.ts'
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
  readonly journal?: JournalSnapshot
  /** Absent when the store thread did not answer in time. */
  readonly storage?: StorageSnapshot
  /** Absent when the send thread did not answer in time. */
  readonly senders?: readonly SenderSnapshot[]
  /** Absent when the agent is not enabled, or did not answer in time. */
  readonly agent?: AgentSnapshot
  readonly topic: TopicSnapshot
  /** Clients of the live tail. */
  readonly tailClients: number
  /** Only with a database that replicas share. */
  readonly cluster?: ClusterSnapshot
}

/** This replica among those that share a database, as of its last beat. An absent field is not known. */
export interface ClusterSnapshot {
  /** Replicas whose lease has not ended, this one included. */
  readonly replicas: number
  readonly leads: boolean
  /** Time for which this replica may begin sends; 0 when it does not lead. */
  readonly leaseLeftMs: number
  /** Times that this process became the leader. */
  readonly takeovers: number
  readonly beatsFailed: number
  /** The database's clock less that of this machine. */
  readonly clockOffsetMs?: number | undefined
  /** The last beat reached the database. */
  readonly storeUp: boolean
  /** Commits wait for a synchronous standby. */
  readonly synchronous?: boolean | undefined
  /** Rows that vacuum has not removed, by table. */
  readonly deadTuples?: { readonly [table: string]: number } | undefined
  /** Age of the oldest transaction of the server. */
  readonly oldestTransactionMs?: number | undefined
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
  /** Slots that are taken: messages that wait and messages in work. */
  readonly occupied: number
  readonly capacity: number
  readonly refused: number
  readonly restarts: number
  readonly deadLetters: { readonly [kind: string]: number }
}

/** One end of a link; counts since its thread was started. */
export interface LinkSnapshot {
  readonly thread: string
  readonly peer: string
  readonly framesPosted: number
  readonly tellsPosted: number
  readonly misdirected: number
  readonly unsendable: number
  readonly lateFrames: number
  readonly lostNotices: number
}

export interface JournalSnapshot {
  /** Size of all segment files. */
  readonly bytes: number
  /** Size of those with incidents that the database does not hold for sure. */
  readonly usedBytes: number
  readonly segments: number
}

export interface StorageSnapshot {
  readonly incidents: number
  /** Incidents in the journal that are not applied. */
  readonly unappliedIncidents: number
  /** Age of the oldest incident that waits to be applied; 0 when none waits. */
  readonly applyLagMs: number
  /** Incidents that cannot be applied. */
  readonly quarantinedIncidents: number
  readonly finishedIncidents: number
  readonly silences: { readonly active: number; readonly held: number; readonly criticalMs: number }
  readonly unfinishedDeliveries: number
  readonly unknownSettlements: number
  /** Incidents that are not in the full-text index yet. */
  readonly unindexed: number
  readonly channels: { readonly [channel in ChannelName]: ChannelSnapshot }
  readonly unacknowledgedFiring: number
  readonly firingProblems: number
  readonly problemLag: number
  readonly oncall: { readonly armed: number; readonly overdue: number; readonly forgotten: number }
  readonly databaseBytes: number
  readonly walBytes: number
  readonly destinations: readonly DestinationSnapshot[]
  /** Digests since the database was made. */
  readonly digests: number
  /** Incidents that each rule of the routes matched. */
  readonly ruleHits: readonly { readonly name: string; readonly hits: number }[]
  /** Times are epoch milliseconds; null: it is not missing, or it is. */
  readonly heartbeats: readonly {
    readonly name: string
    readonly missingSince: number | null
    readonly dueAt: number | null
  }[]
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
  /** Deliveries that are dead: given up and not replayed. */
  readonly deadNow: number
}

/** Times are epoch milliseconds. */
interface DestinationSnapshot {
  readonly channel: ChannelName
  readonly target: string | null
  readonly storm: { readonly since: number } | null
  /** Incidents in a digest that are not told, and since when the oldest waits. */
  readonly untold: number
  readonly untoldSince: number | null
  readonly boundMs: number | null
}

export interface SenderSnapshot {
  readonly channel: ChannelName
  /** Sends under way. */
  readonly sending: number
  readonly destinations: readonly { readonly circuit: string }[]
}

type AgentSnapshot = Required<AgentStatus> & { readonly mode: string }

export interface TopicSnapshot {
  readonly enabled: boolean
  readonly subscription: { readonly state: string } | null
  readonly messages: { readonly taken: number; readonly refused: { readonly [code: string]: number } }
}

/** Returns the number of intake requests that wait for the disk, over all fronts. */
export const inflightOf = ({ actors }: Snapshot) =>
  actors.reduce((sum, { name, occupied }) => (/^ingest(\/|$)/.test(name) ? sum + occupied : sum), 0)

/** Returns the number of destinations whose circuit is not closed. */
export const openCircuitsOf = (senders: readonly SenderSnapshot[]) =>
  senders.flatMap(({ destinations }) => destinations).filter(({ circuit }) => circuit !== 'closed').length
