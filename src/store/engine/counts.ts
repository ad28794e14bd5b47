import type { ChannelName, Destination } from '../../domain/delivery/delivery.ts'
import type { DispatchKind } from '../../domain/delivery/dispatch.ts'
import type { NoticeSubject } from '../../domain/delivery/notice.ts'
import type { Reason } from '../../domain/heartbeat.ts'
import type { LaneState } from '../../policy/bundles/lane.ts'
import type { ApiOverride } from '../../policy/oncall/calendar.ts'
import type { Pending } from '../heartbeats/pending.ts'
import { type ClosedWindow, type LiveSilences, NO_SILENCES } from '../noise/silences/live.ts'
import type { ChannelTotals } from '../ports/channels.ts'
import type { TurnNews } from '../ports/turn.ts'
import { NO_PROBLEMS, type ProblemCounts } from '../problems/counts.ts'
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
export type QueuedKind = Exclude<DispatchKind, 'notice' | 'digest'> | 'urgent' | 'edit'

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

export type Health = { -readonly [K in keyof ChannelTotals]: ChannelTotals[K] }

/** Counts of the notices about one subject. */
interface NoticeQueue {
  /** Due time of the earliest pending notice, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
  /** First claim of the last notice, epoch milliseconds. */
  lastAt: number
}

/** Counts in memory. At the end of every transaction they equal a recount of the database. */
export interface Counts {
  incidents: number
  finished: number
  /** Pages of all problems. */
  pages: number
  /** Pages since opening that were too many, or whose problem ended too long ago. */
  forgottenPages: number
  /** Number of the last incident of the journal that is applied. */
  appliedUpTo: number
  /** Incidents in quarantine; counted nowhere else. */
  quarantined: number
  /** Incidents up to this number are in the search index. */
  indexedThrough: number
  /** Settlements since opening of deliveries that were not leased. */
  unknownSettlements: number
  /** By number of the destination. */
  queues: Record<QueuedKind, Map<number, Queue>>
  lanes: readonly Lane[]
  /** Storm rules of each destination that has them, by number. */
  storms: Map<number, LaneStorm>
  /** Those that changed and are not written. */
  changedStorms: Set<number>
  /** Bundles of each destination that had some, by number. */
  bundles: Map<number, LaneBundles>
  /** Groups that take places. */
  openGroups: number
  /** Minute of the epoch in which the objective was looked at last. */
  burnLookedAt: number
  /** Replaced as a whole. */
  news: TurnNews
  /** The last closed bundle that retention looked at; none: 0. */
  prunedBundle: { readonly closedAt: number; readonly id: number }
  /** Places of bundles that are told or dead, and whose incidents are not concluded yet. */
  winding: number
  /** Walks along the places of digests, to acknowledge all, that go on. */
  walking: number
  /** By number of the destination. */
  outages: Map<number, Outage>
  /** By name. */
  heartbeats: Map<string, Heartbeat>
  notices: Record<NoticeSubject, NoticeQueue>
  /** Due time of the earliest pending account of a silence, by number of the destination. */
  accounts: Map<number, number>
  silences: LiveSilences
  /** Closed windows of silences that hold something still, the first to be told first. */
  releasing: readonly ClosedWindow[]
  /** Deliveries and timers that wait for the end of a silence. */
  held: { deliveries: number; timers: number }
  problems: ProblemCounts
  /** Overrides of clients; the next handover, and the last change of a schedule, epoch milliseconds. Replaced as a whole. */
  schedules: { readonly overrides: readonly ApiOverride[]; readonly dueAt: number; readonly changedAt: number }
  /** The next step of a run, or page of a person, epoch milliseconds; Infinity: none waits for a time. Replaced as a whole. */
  oncall: { readonly dueAt: number }
  /** Since when each channel is paused, epoch milliseconds; undefined while it is not. */
  pausedAt: Record<ChannelName, number | undefined>
  health: Record<ChannelName, Health>
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

export function emptyCounts(): Counts {
  return {
    incidents: 0,
    finished: 0,
    pages: 0,
    forgottenPages: 0,
    appliedUpTo: 0,
    quarantined: 0,
    indexedThrough: 0,
    unknownSettlements: 0,
    queues: byKind(() => new Map()),
    lanes: [],
    storms: new Map(),
    changedStorms: new Set(),
    bundles: new Map(),
    openGroups: 0,
    burnLookedAt: 0,
    news: NO_NEWS,
    prunedBundle: { closedAt: 0, id: 0 },
    winding: 0,
    walking: 0,
    outages: new Map(),
    heartbeats: new Map(),
    notices: bySubject(() => ({ dueAt: Infinity, lastAt: -Infinity })),
    accounts: new Map(),
    silences: NO_SILENCES,
    releasing: [],
    held: { deliveries: 0, timers: 0 },
    oncall: { dueAt: Infinity },
    problems: { ...NO_PROBLEMS },
    schedules: { overrides: [], dueAt: Infinity, changedAt: 0 },
    pausedAt: byChannel(() => undefined),
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

const NO_HEALTH: Health = {
  sent: 0,
  dead: 0,
  retried: 0,
  renderedPlain: 0,
  lastSentAt: undefined,
  lastError: undefined,
}

export function byChannel<T>(make: (name: ChannelName) => T): Record<ChannelName, T> {
  return {
    chatws: make('chatws'),
    msgapp: make('msgapp'),
    messenger: make('messenger'),
    officechat: make('officechat'),
    workchat: make('workchat'),
    email: make('email'),
    console: make('console'),
    ntfy: make('ntfy'),
  }
}

function bySubject<T>(make: (name: NoticeSubject) => T): Record<NoticeSubject, T> {
  return { ...byChannel(make), oncall: make('oncall'), slo: make('slo'), answers: make('answers') }
}

function byKind<T>(make: (kind: QueuedKind) => T): Record<QueuedKind, T> {
  return {
    delivery: make('delivery'),
    urgent: make('urgent'),
    'follow-up': make('follow-up'),
    edit: make('edit'),
    page: make('page'),
  }
}
