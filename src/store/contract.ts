import type { DeliveryPage } from '../api/delivery.ts'
import type { IncidentDetail, IncidentPage, IncidentRecord } from '../api/incident.ts'
import type { CommitResult, Dispatch, Draft, Settlement, Submission } from '../domain/commit.ts'
import type { ChannelName, DeliveryState } from '../domain/delivery.ts'
import type { Effect } from '../domain/escalation.ts'
import type { NotifyStatus } from '../domain/incident.ts'
import type { NoticeSubject } from '../domain/notice.ts'
import type { Page as OncallPage, OncallPolicy, PageSettlement } from '../domain/oncall.ts'
import type { Health } from './engine/counts.ts'
import type { DeliveryFilter, IncidentFilter, ReplayFilter } from './incidents/filters.ts'
import type { PackedSubmissions } from './journal/codec.ts'
import type { SourceCursors } from './log-cursors.ts'

export interface StoreOptions {
  /** Created with mode 0700 when absent. */
  readonly dataDir: string
  /** The enabled ones: every incident gets one delivery for each. */
  readonly channels: readonly ChannelName[]
  /** Finished incidents that are kept; unfinished ones are kept beside them. */
  readonly maxIncidents: number
  /** Unfinished deliveries (pending and sending) and pages (armed, or being made) above which submissions are refused. */
  readonly maxBacklog: number
  /** Absent: nobody is paged. */
  readonly oncall?: OncallPolicy
  /** Those of the channels that can answer one of their own messages; absent: none. */
  readonly threadedChannels?: readonly ChannelName[]
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Something was set aside, and is so on disk; absent: nobody is told. */
  quarantined?(row: Quarantined): void
}

/** Incidents that were committed together and cannot be filed: kept in the table `quarantine`, and tried again after each opening. */
export interface Quarantined {
  /** Number of the first of them, and of their row. */
  readonly first: number
  /** How many; 1 where that is lost. */
  readonly incidents: number
  /** What the program said. */
  readonly fault: string
}

/** What filing made; all of it counts once `write` has returned. */
export interface Applied {
  /** Owed to the senders. `content` is a view of what was committed together, not a copy. */
  readonly dispatches: readonly Dispatch[]
  readonly oncall: readonly OncallChange[]
  /** New ones, in the order of commit. */
  readonly drafts: readonly Draft[]
}

export interface CommittedAndApplied extends Omit<Applied, 'drafts'> {
  readonly result: CommitResult
}

/** What changed between an incident and the on-call person, for events and notices. */
export interface OncallChange {
  readonly incident: number
  readonly effects: readonly Effect[]
  /** Whose doing it was. */
  readonly by?: string
}

/** What is to be said of an incident that changes. */
export interface OncallFacts {
  readonly id: string
  readonly title: string
  readonly severity: string
  /** Epoch milliseconds; null: it pages nobody. */
  readonly dueAt: number | null
  /** null: nobody was paged. */
  readonly provider: string | null
}

/** What became of a person's word that the incident is taken care of. */
export type Acknowledgement =
  /** No such incident; or somebody else's word was earlier, and stays. */
  { readonly kind: 'unknown' | 'already' } | { readonly kind: 'acknowledged'; readonly oncall: readonly OncallChange[] }

export interface OncallCounters {
  /** Nobody has been paged yet, and it is not time. */
  readonly armed: number
  /** Somebody should have been paged by now. */
  readonly overdue: number
}

/** The timers and what the pager is told; beside the deliveries, under the same rules. */
export interface OncallStore {
  /** Epoch milliseconds of the next thing the pager is to be told, which may be past; undefined when there is none. O(1). */
  nextDueAt(): number | undefined
  /** Hands out what the pager is to be told by now, at most so many. */
  claim(slots: number): OncallPage[]
  /** Undefined (and counted) when it is not handed out. */
  settle(settlement: PageSettlement): OncallChange | undefined
  /** After the OnCallActor died: what it held is to be told again. Opening does it. */
  reclaim(): number
  /** The machine's clock was set forward (or back) by so much: every timer moves with it. */
  shift(byMs: number): void
  /** Undefined: the incident is not stored any more. */
  facts(incident: number): OncallFacts | undefined
  counters(): OncallCounters
}

export interface ClaimLimits {
  readonly slots: number
  /** Sum of contents; the first delivery is taken even when it is larger. */
  readonly maxBytes: number
}

/** What a settlement did, for events and metrics. */
export interface Settled {
  readonly incidentId: string
  readonly title: string
  readonly severity: string
  /** Arrival of the incident, epoch milliseconds. */
  readonly createdAt: number
  /** Attempts made so far, those before a replay included. */
  readonly attempts: number
  readonly state: DeliveryState
  /** Other than `pending`: this was the incident's last unfinished delivery. */
  readonly notifyStatus: NotifyStatus
}

export interface ChannelBacklog {
  readonly pending: number
  readonly sending: number
  /** Commit time, epoch milliseconds, of the oldest incident still pending on the channel. */
  readonly oldestPendingAt: number | undefined
}

/** What an operator asks of a channel. */
export interface ChannelHealth extends Readonly<Health> {
  /** Epoch milliseconds; undefined when nobody paused the channel. */
  readonly pausedAt: number | undefined
  readonly backlog: ChannelBacklog
  /** Dead deliveries, which a replay would try again. */
  readonly deadNow: number
  /** The last notice of dead deliveries on it. */
  readonly lastNotice: LastNotice | undefined
}

export interface LastNotice {
  readonly state: DeliveryState
  /** The channel it was handed to last. */
  readonly via: ChannelName | null
  readonly attempts: number
  /** Epoch milliseconds, as `ended_at`. */
  readonly first_at: number | null
  readonly ended_at: number | null
}

/** What `take` of the notices found due. */
export interface ClaimedNotices {
  readonly dispatches: readonly Dispatch[]
  /** What failed and nobody can be told of: no channel is known to work. */
  readonly stuck: readonly NoticeSubject[]
}

/** Word of dead deliveries and pages; all of it inside `write`. */
export interface Notices {
  /** A delivery of the channel has died, or a page. */
  raise(about: NoticeSubject): void
  /** Hands out what is due; `claim` asks whether a channel's sender has a place. Costs next to nothing when nothing is due. */
  claim(reserve: (channel: ChannelName) => boolean): ClaimedNotices
  /** False: it is not handed out through this channel. */
  settle(settlement: Settlement): boolean
  /** The channel's sender died. */
  reclaim(via: ChannelName): void
  /** Epoch milliseconds of the next one to come; undefined when none is waiting for its time. */
  nextAt(): number | undefined
}

export interface StoreCounters {
  readonly incidents: number
  /** Of these, committed a moment ago: in no list, and no delivery of theirs is counted, but in `unfinishedDeliveries`. */
  readonly unappliedIncidents: number
  /** Of these, set aside because they cannot be filed; nothing is sent of them, and they count against no quota. */
  readonly quarantinedIncidents: number
  /** With nothing left to be sent, and nothing that the pager is to be told. */
  readonly finishedIncidents: number
  /** Pending and sending. */
  readonly unfinishedDeliveries: number
  /** Settlements since opening that were of no delivery handed out. */
  readonly unknownSettlements: number
  /** Incidents that are not in the index yet, or rather more. */
  readonly unindexed: number
}

/** How the store is doing. */
export interface StoreState extends StoreCounters {
  readonly channels: { readonly [channel in ChannelName]: ChannelHealth }
  readonly oncall: OncallCounters
  /** Fingerprints whose newest incident of the last 24 h, among the newest 1000, is firing and of which nobody has said a word. */
  readonly unacknowledgedFiring: number
  readonly databaseBytes: number
  readonly walBytes: number
}

/**
 * Durable state of one writer. Everything that changes it belongs inside `write`; reads do not.
 * Failures of the disk are `CodedError`s `storage_full` and `storage_down`; the store is usable again when the disk is.
 */
export interface Store {
  /**
   * One transaction and one fsync: everything `work` did is durable when this returns; when it throws nothing happened, and places
   * claimed or hand-outs returned inside are void. When something cannot be filed, `work` is undone and run once more, without filing, and
   * what is to blame is set aside.
   */
  write<T>(work: () => T): T
  /**
   * Commits submissions, each whole or not at all: refused (`backlog_full`, `storage_down`) or a duplicate by its key. Undefined: all are created. They are
   * filed later: until then nothing is sent of them and no list or search shows them, but they count against the quota.
   */
  append(packed: PackedSubmissions): readonly CommitResult[] | undefined
  /**
   * Files at least so many incidents in the order of commit, if so many are waiting and nothing has just failed to be filed. `claim` asks
   * whether the channel's sender has a free place of so many bytes; it is not asked while older deliveries of the channel are due, so that
   * nothing is overtaken.
   */
  apply(incidents: number, reserve: (channel: ChannelName, bytes: number) => boolean): Applied
  /** Committed and not filed. */
  unapplied(): number
  /**
   * In a transaction of its own, puts one batch that was set aside before the opening back among what is unfiled; false: there is none. For
   * moments in which nothing else waits to be filed.
   */
  retryQuarantined(): boolean
  /** Admits one submission and files all there is. */
  commit(submission: Submission, reserve: (channel: ChannelName, bytes: number) => boolean): CommittedAndApplied
  /** Hands out due deliveries of a channel in order of their due time, then of commit. */
  claim(channel: ChannelName, limits: ClaimLimits): Dispatch[]
  /** Records the attempt and its verdict; undefined for a notice, and (counted) when the delivery is not handed out. */
  settle(settlement: Settlement): Settled | undefined
  /** After a sender died: what it held is pending again, flagged `mayDuplicate`; returns how many. Opening does it for all. */
  reclaim(channels: readonly ChannelName[]): number
  /** Deliveries that were never tried and have been given a later turn may go at once: the rates that gave them may have changed. */
  makeDueNow(): void
  /** Hands out notices of what died, one about a channel in 15 minutes, through channels that work; and what belongs into threads. */
  claimNotices: Notices['claim']
  nextNoticeAt: Notices['nextAt']
  /** Epoch milliseconds of the earliest pending delivery, which may be past; undefined when none is pending. O(1). */
  nextDueAt(channel: ChannelName): number | undefined
  /** Counts are kept in memory; `oldestPendingAt` costs a walk over the channel's pending rows. */
  backlog(): { readonly [channel in ChannelName]?: ChannelBacklog }
  /** Of all channels, the enabled and the others; costs what `backlog` costs. */
  health(): { readonly [channel in ChannelName]: ChannelHealth }
  /** Notes that a channel is paused, for the lives to come as well; a second pause keeps the first. Whoever hands out asks `isPaused`. */
  pause(channel: ChannelName): void
  resume(channel: ChannelName): void
  /** O(1). */
  isPaused(channel: ChannelName): boolean
  /** Deletes at most `maxRows` of the oldest finished incidents beyond `maxIncidents`, or as many expired keys; returns how many went. */
  prune(maxRows: number): number
  /**
   * Makes at most `maxRows` more incidents quick to find; returns how many, 0 when all are. A transaction of its own, which a power cut may undo: it waits for
   * no disk. Not inside `write`.
   */
  index(maxRows: number): number
  incidents(filter: IncidentFilter): IncidentPage
  /** Undefined: no such id. */
  incident(id: string): IncidentDetail | undefined
  deliveries(filter: DeliveryFilter): DeliveryPage
  /** Dead deliveries become pending with fresh attempts, oldest first, never more than half the free backlog; returns how many. */
  replay(filter: ReplayFilter): number
  /** Every finished delivery of the incident becomes pending again, on the channels enabled now; false: no such id. */
  resend(id: string): boolean
  /** Undefined: no such id. */
  record(id: string): IncidentRecord | undefined
  /** Stops the incident's timer, and has a pager that knows of it told. */
  acknowledge(id: string, by: string): Acknowledgement
  /** The same for every incident of its fingerprint; undefined: no such id. */
  resolve(id: string, by: string): readonly OncallChange[] | undefined
  readonly oncall: OncallStore
  /** Where log sources go on; those that are not named stay as they are. */
  saveCursors(cursors: SourceCursors): void
  loadCursors(): SourceCursors
  /** Proves that a write transaction commits right now; throws `storage_full` or `storage_down`. Not inside `write`. */
  check(): void
  /** Moves the write-ahead log into the database file, for idle moments; false: the disk refused, nothing is lost. Not inside `write`. */
  checkpoint(): boolean
  counters(): StoreCounters
  state(): StoreState
  /** Safe to call twice. */
  close(): void
}
