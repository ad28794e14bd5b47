import type { ChannelName } from '../../domain/delivery.ts'
import type { ChannelBacklog } from '../contract.ts'
import { CHANNEL_CODE, channelName, STATE } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import { HELD } from '../journal/quarantine.ts'

/** What the index of pending deliveries says about one channel. */
export interface Lanes {
  /** Brings the lane's `dueAt` up to date after rows left or entered `pending`. */
  refresh(channel: ChannelName): void
  backlogOf(channel: ChannelName): ChannelBacklog
}

export function openLanes({ db, tally }: Tools): Lanes {
  const earliest = query<{ next_attempt_at: number }>(
    db,
    `SELECT next_attempt_at FROM deliveries WHERE channel = ? AND state = ${STATE.pending} ORDER BY next_attempt_at LIMIT 1`,
  )
  const oldest = query<{ committed_at: number }>(
    db,
    `SELECT committed_at FROM incidents WHERE seq =
       (SELECT min(+incident) FROM deliveries INDEXED BY deliveries_due WHERE channel = ? AND state = ${STATE.pending})`,
  )
  return {
    refresh(channel) {
      const lane = tally.lanes[channel]
      lane.dueAt = lane.pending === 0 ? Infinity : (earliest.get(CHANNEL_CODE[channel])?.next_attempt_at ?? Infinity)
    },
    backlogOf(channel) {
      const { pending, sending } = tally.lanes[channel]
      const oldestPendingAt = pending === 0 ? undefined : oldest.get(CHANNEL_CODE[channel])?.committed_at
      return { pending, sending, oldestPendingAt }
    },
  }
}

/** Counts everything anew: the tally's values as the database has them. */
export function recount({ db, tally, channels }: Pick<Tools, 'db' | 'tally' | 'channels'>): void {
  const incidents = query<{ incidents: number; last: number }>(
    db,
    `SELECT count(*) AS incidents, max(coalesce(max(seq), 0), (SELECT coalesce(max(last), 0) FROM contents),
       (SELECT coalesce(max(first), 0) FROM unfiled), (SELECT coalesce(max(first), 0) FROM quarantine)) AS last FROM incidents`,
  ).get()
  const finished = query<{ finished: number }>(
    db,
    'SELECT count(*) AS finished FROM incidents WHERE notify_status <> 0 AND oncall_open = 0',
  )
  tally.incidents = incidents?.incidents ?? 0
  tally.nextSeq = (incidents?.last ?? 0) + 1
  tally.finished = finished.get()?.finished ?? 0
  const unfiled = query<{ noted: number; incidents: number }>(
    db,
    `SELECT count(*) AS noted, coalesce(sum(${HELD}), 0) AS incidents FROM unfiled LEFT JOIN contents USING (first)`,
  ).get()
  const { noted, incidents: waiting } = unfiled ?? { noted: 0, incidents: 0 }
  tally.unfiled = { noted, incidents: waiting, deliveries: waiting * channels.length }
  const quarantined = query<{ incidents: number }>(
    db,
    `SELECT coalesce(sum(${HELD}), 0) AS incidents FROM quarantine LEFT JOIN contents USING (first)`,
  )
  tally.quarantined = quarantined.get()?.incidents ?? 0
  const lanes = query<{ channel: number; state: number; deliveries: number; due: number }>(
    db,
    `SELECT channel, state, count(*) AS deliveries, min(next_attempt_at) AS due FROM deliveries
     WHERE state IN (${STATE.pending}, ${STATE.sending}) GROUP BY channel, state`,
  )
  for (const lane of Object.values(tally.lanes)) Object.assign(lane, { pending: 0, sending: 0, dueAt: Infinity })
  for (const { channel, state, deliveries, due } of lanes.all()) {
    const lane = tally.lanes[channelName(channel)]
    if (state === STATE.sending) lane.sending = deliveries
    else Object.assign(lane, { pending: deliveries, dueAt: due })
  }
}
