import { CHANNEL_NAMES, type ChannelName } from '../domain/delivery.ts'

/** What memory knows of one channel, so that the hot path needs no query. */
export interface Lane {
  pending: number
  sending: number
  /** Smallest `next_attempt_at` of the pending ones, epoch milliseconds; Infinity when none is pending. */
  dueAt: number
}

/** Counts that equal what a recount of the database would give at the end of every transaction. */
export interface Tally {
  incidents: number
  finished: number
  nextSeq: number
  /** Since opening; of no delivery that was handed out. */
  unknownSettlements: number
  lanes: Record<ChannelName, Lane>
}

export function emptyTally(): Tally {
  return {
    incidents: 0,
    finished: 0,
    nextSeq: 1,
    unknownSettlements: 0,
    lanes: lanesOf(() => ({ pending: 0, sending: 0, dueAt: Infinity })),
  }
}

/** For putting back when a transaction fails. */
export function copyOf(tally: Tally): Tally {
  return { ...tally, lanes: lanesOf((name) => ({ ...tally.lanes[name] })) }
}

export function unfinished({ lanes }: Tally): number {
  return CHANNEL_NAMES.reduce((sum, name) => sum + lanes[name].pending + lanes[name].sending, 0)
}

function lanesOf(make: (name: ChannelName) => Lane): Record<ChannelName, Lane> {
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
