import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery.ts'
import type { NoticeSubject } from '../../domain/notice.ts'
import type { ChannelTotals } from '../ports/channels.ts'

/** Counts of one channel's deliveries, so that the hot path needs no query. */
interface ChannelQueue {
  pending: number
  sending: number
  /** Smallest `next_attempt_at` of pending deliveries, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
  /** Epoch milliseconds; undefined while the channel is not paused. */
  pausedAt: number | undefined
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
  queues: Record<ChannelName, ChannelQueue>
  health: Record<ChannelName, Health>
  /** Signals for the pager that are not settled. */
  pager: {
    open: number
    /** Smallest `next_at` of waiting signals, epoch milliseconds; Infinity when none waits. */
    dueAt: number
  }
  notices: Record<NoticeSubject, NoticeQueue>
  /** `dueAt` of the earliest pending follow-up, epoch milliseconds; Infinity when none is pending. */
  followUps: { dueAt: number }
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
    queues: byChannel(() => ({ pending: 0, sending: 0, dueAt: Infinity, pausedAt: undefined })),
    health: byChannel(() => ({ ...NO_HEALTH })),
    pager: { open: 0, dueAt: Infinity },
    notices: bySubject(() => ({ dueAt: Infinity, lastAt: -Infinity })),
    followUps: { dueAt: Infinity },
  }
}

/** Copies the counts, to restore them when a transaction fails. */
export function snapshot(counts: Counts): Counts {
  return {
    ...counts,
    queues: byChannel((name) => ({ ...counts.queues[name] })),
    health: byChannel((name) => ({ ...counts.health[name] })),
    unfiled: { ...counts.unfiled },
    pager: { ...counts.pager },
    notices: bySubject((name) => ({ ...counts.notices[name] })),
    followUps: { ...counts.followUps },
  }
}

export function unfinishedDeliveries({ queues, unfiled }: Counts): number {
  return CHANNEL_NAMES.reduce((sum, name) => sum + queues[name].pending + queues[name].sending, unfiled.deliveries)
}

/** Deliveries and pages, which the quota bounds. */
export const backlogSize = (counts: Counts) => unfinishedDeliveries(counts) + counts.pager.open

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

function bySubject<T>(make: (name: NoticeSubject) => T): Record<NoticeSubject, T> {
  return { ...byChannel(make), oncall: make('oncall') }
}
