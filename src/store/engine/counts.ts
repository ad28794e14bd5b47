import { CHANNEL_NAMES, type ChannelName, type Destination } from '../../domain/delivery.ts'
import type { DispatchKind } from '../../domain/dispatch.ts'
import type { ChannelTotals } from '../ports/channels.ts'

/** Counts of the dispatches of one kind to one destination, so that the hot path needs no query. */
export interface Queue {
  pending: number
  sending: number
  /** Smallest `due_at` of pending ones, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
}

/** Kinds whose dispatches have a destination from the start; notices are counted by subject. */
export type QueuedKind = Exclude<DispatchKind, 'notice'>

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
  /** Number of the last incident of the journal that is applied. */
  appliedUpTo: number
  /** The table `unfiled`: incidents that an earlier version left unapplied. Counted neither in `incidents` nor in `queues`. */
  unfiled: { entries: number; incidents: number; deliveries: number }
  /** Incidents in quarantine; counted nowhere else. */
  quarantined: number
  /** Incidents up to this number are in the search index. */
  indexedThrough: number
  /** Settlements since opening of deliveries that were not leased. */
  unknownSettlements: number
  queues: Record<QueuedKind, Record<Destination, Queue>>
  notices: Record<Destination, NoticeQueue>
  /** Since when each channel is paused, epoch milliseconds; undefined while it is not. */
  pausedAt: Record<ChannelName, number | undefined>
  health: Record<ChannelName, Health>
}

export function emptyCounts(): Counts {
  return {
    incidents: 0,
    finished: 0,
    appliedUpTo: 0,
    unfiled: { entries: 0, incidents: 0, deliveries: 0 },
    quarantined: 0,
    indexedThrough: 0,
    unknownSettlements: 0,
    queues: byKind(() => byDestination(emptyQueue)),
    notices: byDestination(() => ({ dueAt: Infinity, lastAt: -Infinity })),
    pausedAt: byChannel(() => undefined),
    health: byChannel(() => ({ ...NO_HEALTH })),
  }
}

/** Copies the counts, to restore them when a transaction fails. */
export function snapshot(counts: Counts): Counts {
  return {
    ...counts,
    unfiled: { ...counts.unfiled },
    queues: byKind((kind) => byDestination((name) => ({ ...counts.queues[kind][name] }))),
    notices: byDestination((name) => ({ ...counts.notices[name] })),
    pausedAt: { ...counts.pausedAt },
    health: byChannel((name) => ({ ...counts.health[name] })),
  }
}

export function unfinishedDeliveries({ queues, unfiled }: Counts): number {
  return CHANNEL_NAMES.reduce((sum, name) => sum + unsettled(queues.delivery[name]), unfiled.deliveries)
}

/** Deliveries and pages, which the quota bounds. */
export const backlogSize = (counts: Counts) => unfinishedDeliveries(counts) + unsettled(counts.queues.page.oncall)

const unsettled = ({ pending, sending }: Queue) => pending + sending

export const emptyQueue = (): Queue => ({ pending: 0, sending: 0, dueAt: Infinity })

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
  }
}

function byDestination<T>(make: (name: Destination) => T): Record<Destination, T> {
  return { ...byChannel(make), oncall: make('oncall') }
}

function byKind<T>(make: (kind: QueuedKind) => T): Record<QueuedKind, T> {
  return { delivery: make('delivery'), 'follow-up': make('follow-up'), page: make('page') }
}
