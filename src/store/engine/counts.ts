import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery.ts'
import type { NoticeSubject } from '../../domain/notice.ts'
import type { ChannelTotals } from '../ports/channels.ts'

/** What memory knows of one channel, so that the hot path needs no query. */
interface ChannelQueue {
  pending: number
  sending: number
  /** Smallest `next_attempt_at` of the pending ones, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
  /** Epoch milliseconds; undefined while the channel is handed its deliveries. */
  pausedAt: number | undefined
}

export type Health = { -readonly [K in keyof ChannelTotals]: ChannelTotals[K] }

/** The notices of what died on one channel, or of pages. */
interface NoticeQueue {
  /** When the earliest pending one may go, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
  /** When the last one was handed out first, epoch milliseconds. */
  lastAt: number
}

/** Counts that equal what a recount of the database would give at the end of every transaction. */
export interface Counts {
  incidents: number
  finished: number
  nextSeq: number
  /** Committed and not filed: they are none of `incidents`, nor of any lane. */
  journal: {
    incidents: number
    deliveries: number
    /** Rows of the table. */
    flushed: number
  }
  /** Incidents that could not be filed: they are counted nowhere else. */
  quarantined: number
  /** Incidents up to this number are in the index of words. */
  indexedThrough: number
  /** Since opening; of no delivery that was handed out. */
  unknownSettlements: number
  queues: Record<ChannelName, ChannelQueue>
  health: Record<ChannelName, Health>
  /** What the pager is yet to be told. */
  pager: {
    open: number
    /** Smallest `next_at` of what waits, epoch milliseconds; Infinity when nothing does. */
    dueAt: number
  }
  notices: Record<NoticeSubject, NoticeQueue>
  /** `dueAt`: of the earliest one that waits, epoch milliseconds; Infinity when none does. */
  followUps: { dueAt: number }
}

export function emptyCounts(): Counts {
  return {
    incidents: 0,
    finished: 0,
    nextSeq: 1,
    journal: { incidents: 0, deliveries: 0, flushed: 0 },
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

/** For putting back when a transaction fails. */
export function snapshot(counts: Counts): Counts {
  return {
    ...counts,
    queues: byChannel((name) => ({ ...counts.queues[name] })),
    health: byChannel((name) => ({ ...counts.health[name] })),
    journal: { ...counts.journal },
    pager: { ...counts.pager },
    notices: bySubject((name) => ({ ...counts.notices[name] })),
    followUps: { ...counts.followUps },
  }
}

/** Deliveries. */
export function unfinishedDeliveries({ queues, journal }: Counts): number {
  return CHANNEL_NAMES.reduce((sum, name) => sum + queues[name].pending + queues[name].sending, journal.deliveries)
}

/** Deliveries and pages: what the quota bounds. */
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
