import { CHANNEL_NAMES, type ChannelName, type Destination } from '../../domain/delivery/delivery.ts'
import { NOTICE_SUBJECTS, type NoticeSubject } from '../../domain/delivery/notice.ts'
import type { Reason } from '../../domain/heartbeat.ts'
import type { LaneState } from '../../policy/bundles/lane.ts'
import type { ApiOverride } from '../../policy/oncall/calendar.ts'
import type { Pending } from '../heartbeats/pending.ts'
import { type ClosedWindow, NO_SILENCES } from '../noise/silences/live.ts'
import type { TurnNews } from '../ports/turn.ts'
import { NO_PROBLEMS } from '../problems/counts.ts'
import { DESTINATION_CODE } from './column-codes.ts'

/** Counts of the dispatches of one kind to one destination, so that the hot path needs no query. */
export interface Queue {
  pending: number
  sending: number
  /** Smallest `due_at` of pending ones, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
}

/** One destination of the outbox: a channel's default one, one of its other destinations, or the on-call provider. */
export interface Lane<To extends Destination = Destination> {
  /** Number on disk: up to 31 those of `DESTINATION_CODE`, from 40 on those of other destinations; never used again. */
  readonly code: number
  readonly destination: To
  /** Name of the other destination; absent: the default one. */
  readonly target?: string
}

/**
 * Queues of a destination. Deliveries of rank urgent have one of their own, and so have follow-ups of rank low: edits. Notices are counted by subject, and a
 * destination has at most one digest.
 */
const QUEUED_KINDS = ['delivery', 'urgent', 'follow-up', 'edit', 'page'] as const
export type QueuedKind = (typeof QUEUED_KINDS)[number]

/** Storm rules of one destination; replaced as a whole. */
export interface LaneStorm {
  readonly state: LaneState
  /** Number of the open digest; undefined: calm. */
  readonly bundle: number | undefined
  /** Number of the latest digest; absent: there was none. */
  readonly last?: number
  /** The last attempt failed: the first success makes due all that waits. */
  readonly failing: boolean
  /** Incidents since the opening of the database. */
  readonly arrived: number
}

/** Bundles of one destination; replaced as a whole. All but the first number are of those beside storms. */
export interface LaneBundles {
  /** Places of the storm that no told revision covers. */
  readonly inStorm: number
  /** Places that no told revision covers. */
  readonly untold: number
  /** No revision is due before this time, epoch milliseconds; Infinity: none is. */
  readonly dueAt: number
  /** Revisions are some time apart, so that they leave room for news. */
  readonly notBefore: number
  /** The bundle of which a revision is with the sender. */
  readonly sending?: number | undefined
}

/** A heartbeat of the configuration, or one that left it while it was missing. */
export interface Heartbeat {
  /** Severity of its incident; present for one that left the configuration: its resolution is owed, then it is forgotten. */
  readonly left?: string
  /** The last sign of life, epoch milliseconds. */
  readonly heardAt?: number
  /** Since when it has been missing, overrun or failed, until that is resolved; absent: it beats. Epoch milliseconds. */
  readonly missingSince?: number
  readonly why?: Reason
  /** Incidents that are to be raised, in order. */
  readonly pending: Pending
  /** Of a failure. */
  readonly output?: string
  /** The run that did not end yet, epoch milliseconds. */
  readonly startedAt?: number
  readonly runId?: string
  readonly lastRunMs?: number
  /** When the run may take no longer, by the monotonic clock; Infinity without one. */
  readonly runDueMs: number
  /** When it is missing, by the monotonic clock, and by the wall clock when that was set. Only the latter with `times`. */
  readonly dueMs: number
  readonly dueAt: number
  /** With `times`: the next one, the one up to which none is due any more, and the last that was not judged. */
  readonly nextTime: number
  readonly judgedThrough: number
  readonly skippedAt?: number
  /** `cron` of the rule of these times. */
  readonly cron?: string
}

/** A destination with a fallback whose circuit is open. */
export interface Outage {
  /** Epoch milliseconds. */
  readonly since: number
  /** Untold incidents up to this number were placed at the fallback; absent: none yet. */
  readonly through?: number
}

export const NO_NEWS: TurnNews = {
  ...{ folded: {}, repeated: {}, flapped: {}, grouped: {}, fellBack: {} },
  ...{ digestChanges: [], silenceEdges: [], runs: [] },
}

/** Counts places, or deliveries at fallbacks, as news of a channel. */
export function countNews(
  counts: Pick<Counts, 'news'>,
  of: Exclude<keyof TurnNews, 'digestChanges' | 'silenceEdges' | 'runs'>,
  { destination, added = 1 }: { readonly destination: Destination; readonly added?: number },
): void {
  const channel = destination as ChannelName
  counts.news = { ...counts.news, [of]: { ...counts.news[of], [channel]: (counts.news[of][channel] ?? 0) + added } }
}

/** Counts in memory. At the end of every transaction they equal a recount of the database. */
export type Counts = ReturnType<typeof emptyCounts>

export function emptyCounts() {
  return {
    incidents: 0,
    finished: 0,
    /** Pages of all problems. */
    pages: 0,
    /** Pages since opening that were too many, or whose problem ended too long ago. */
    forgottenPages: 0,
    /** Number of the last incident of the journal that is applied. */
    appliedUpTo: 0,
    /** Incidents in quarantine; counted nowhere else. */
    quarantined: 0,
    /** Incidents up to this number are in the search index. */
    indexedThrough: 0,
    /** Settlements since opening of deliveries that were not leased. */
    unknownSettlements: 0,
    /** By number of the destination. */
    queues: byKind(() => new Map<number, Queue>()),
    lanes: [] as readonly Lane[],
    /** Storm rules of each destination that has them, by number. */
    storms: new Map<number, LaneStorm>(),
    /** Those that changed and are not written. */
    changedStorms: new Set<number>(),
    /** Bundles of each destination that had some, by number. */
    bundles: new Map<number, LaneBundles>(),
    /** Groups that take places. */
    openGroups: 0,
    /** Minute of the epoch in which the objective was looked at last. */
    burnLookedAt: 0,
    /** Replaced as a whole. */
    news: NO_NEWS,
    /** The last closed bundle that retention looked at; none: 0. Replaced as a whole. */
    prunedBundle: { closedAt: 0, id: 0 },
    /** Places of bundles that are told or dead, and whose incidents are not concluded yet. */
    winding: 0,
    /** Walks along the places of digests, to acknowledge all, that go on. */
    walking: 0,
    /** By number of the destination. */
    outages: new Map<number, Outage>(),
    /** By name. */
    heartbeats: new Map<string, Heartbeat>(),
    /**
     * Due time of the earliest pending notice about each subject, Infinity when none is pending, and first claim of the last
     * one. Epoch milliseconds.
     */
    notices: bySubject(() => ({ dueAt: Infinity, lastAt: -Infinity })),
    /** Due time of the earliest pending account of a silence, by number of the destination. */
    accounts: new Map<number, number>(),
    silences: NO_SILENCES,
    /** Closed windows of silences that hold something still, the first to be told first. */
    releasing: [] as readonly ClosedWindow[],
    /** Deliveries and timers that wait for the end of a silence. */
    held: { deliveries: 0, timers: 0 },
    /** The next step of a run, or page of a person, epoch milliseconds; Infinity: none waits for a time. Replaced as a whole. */
    oncall: { dueAt: Infinity },
    problems: { ...NO_PROBLEMS },
    /** Overrides of clients; the next handover, and the last change of a schedule, epoch milliseconds. Replaced as a whole. */
    schedules: { overrides: [] as readonly ApiOverride[], dueAt: Infinity, changedAt: 0 },
    /** Since when each channel is paused, epoch milliseconds; undefined while it is not. */
    pausedAt: byChannel((): number | undefined => undefined),
    health: byChannel(() => ({ ...NO_HEALTH })),
  }
}

/** Copies the counts, to restore them when a transaction fails. */
export function snapshot(counts: Counts): Counts {
  return {
    ...counts,
    queues: byKind((kind) => new Map(Array.from(counts.queues[kind], ([code, queue]) => [code, { ...queue }]))),
    storms: new Map(counts.storms),
    changedStorms: new Set(counts.changedStorms),
    bundles: new Map(counts.bundles),
    outages: new Map(counts.outages),
    heartbeats: new Map(counts.heartbeats),
    notices: bySubject((name) => ({ ...counts.notices[name] })),
    accounts: new Map(counts.accounts),
    held: { ...counts.held },
    problems: { ...counts.problems },
    pausedAt: { ...counts.pausedAt },
    health: byChannel((name) => ({ ...counts.health[name] })),
  }
}

export function unfinishedDeliveries({ queues, bundles, held }: Counts): number {
  let sum = held.deliveries
  for (const queue of queues.delivery.values()) sum += unsettled(queue)
  for (const queue of queues.urgent.values()) sum += unsettled(queue)
  for (const { untold, inStorm } of bundles.values()) sum += untold + inStorm
  return sum
}

/** Deliveries and pages, which the quota bounds. */
export const backlogSize = (counts: Counts) =>
  unfinishedDeliveries(counts) + unsettled(queueOf(counts, 'page', DESTINATION_CODE.oncall)) + counts.held.timers

const unsettled = ({ pending, sending }: Queue) => pending + sending

/** Returns the queue of a kind to a destination; one that was never used is empty. */
export function queueOf({ queues }: Pick<Counts, 'queues'>, kind: QueuedKind, code: number): Queue {
  const known = queues[kind].get(code)
  if (known !== undefined) return known
  const queue = emptyQueue()
  queues[kind].set(code, queue)
  return queue
}

const emptyQueue = (): Queue => ({ pending: 0, sending: 0, dueAt: Infinity })

/** Settlements of a channel since opening. The last success and error are read from the ledger at opening. */
export type Health = typeof NO_HEALTH

const NO_HEALTH = {
  /** Deliveries that ended. */
  sent: 0,
  dead: 0,
  /** Attempts that will be repeated. */
  retried: 0,
  /** Attempts that went out as plain text because the template failed. */
  renderedPlain: 0,
  /** Epoch milliseconds. */
  lastSentAt: undefined as number | undefined,
  /** `incidentId` is null for an attempt of a notice. */
  lastError: undefined as
    | { readonly at: number; readonly detail: string; readonly incidentId: string | null }
    | undefined,
}

const tableOf = <Name extends string, T>(names: readonly Name[], make: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>

export const byChannel = <T>(make: (name: ChannelName) => T) => tableOf(CHANNEL_NAMES, make)
const bySubject = <T>(make: (name: NoticeSubject) => T) => tableOf(NOTICE_SUBJECTS, make)
const byKind = <T>(make: (kind: QueuedKind) => T) => tableOf(QUEUED_KINDS, make)
