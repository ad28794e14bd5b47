import type { ChannelName } from '../../domain/delivery.ts'
import type { ChannelBacklog } from '../contract.ts'
import { CHANNEL_CODE, channelName, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import { ENTRY_INCIDENTS } from '../journal/quarantine.ts'

/** What the index of pending deliveries says about one channel. */
export interface DueIndex {
  /** Brings the queue's `dueAt` up to date after rows left or entered `pending`. */
  refreshNextDue(channel: ChannelName): void
  backlogOf(channel: ChannelName): ChannelBacklog
}

export function openDueIndex({ db, counts }: StoreContext): DueIndex {
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
    refreshNextDue(channel) {
      const queue = counts.queues[channel]
      queue.dueAt = queue.pending === 0 ? Infinity : (earliest.get(CHANNEL_CODE[channel])?.next_attempt_at ?? Infinity)
    },
    backlogOf(channel) {
      const { pending, sending } = counts.queues[channel]
      const oldestPendingAt = pending === 0 ? undefined : oldest.get(CHANNEL_CODE[channel])?.committed_at
      return { pending, sending, oldestPendingAt }
    },
  }
}

/** Counts everything anew: the tally's values as the database has them. */
export function recount({ db, counts, channels }: Pick<StoreContext, 'db' | 'counts' | 'channels'>): void {
  const incidents = query<{ incidents: number; last: number }>(
    db,
    `SELECT count(*) AS incidents, max(coalesce(max(seq), 0), (SELECT coalesce(max(last), 0) FROM contents),
       (SELECT coalesce(max(first), 0) FROM unfiled), (SELECT coalesce(max(first), 0) FROM quarantine)) AS last FROM incidents`,
  ).get()
  const finished = query<{ finished: number }>(
    db,
    'SELECT count(*) AS finished FROM incidents WHERE notify_status <> 0 AND oncall_open = 0',
  )
  counts.incidents = incidents?.incidents ?? 0
  counts.nextSeq = (incidents?.last ?? 0) + 1
  counts.finished = finished.get()?.finished ?? 0
  const journal = query<{ flushed: number; incidents: number }>(
    db,
    `SELECT count(*) AS flushed, coalesce(sum(${ENTRY_INCIDENTS}), 0) AS incidents FROM unfiled LEFT JOIN contents USING (first)`,
  ).get()
  const { flushed, incidents: waiting } = journal ?? { flushed: 0, incidents: 0 }
  counts.journal = { flushed, incidents: waiting, deliveries: waiting * channels.length }
  const quarantined = query<{ incidents: number }>(
    db,
    `SELECT coalesce(sum(${ENTRY_INCIDENTS}), 0) AS incidents FROM quarantine LEFT JOIN contents USING (first)`,
  )
  counts.quarantined = quarantined.get()?.incidents ?? 0
  const queues = query<{ channel: number; state: number; deliveries: number; due: number }>(
    db,
    `SELECT channel, state, count(*) AS deliveries, min(next_attempt_at) AS due FROM deliveries
     WHERE state IN (${STATE.pending}, ${STATE.sending}) GROUP BY channel, state`,
  )
  for (const queue of Object.values(counts.queues)) Object.assign(queue, { pending: 0, sending: 0, dueAt: Infinity })
  for (const { channel, state, deliveries, due } of queues.all()) {
    const queue = counts.queues[channelName(channel)]
    if (state === STATE.sending) queue.sending = deliveries
    else Object.assign(queue, { pending: deliveries, dueAt: due })
  }
}
