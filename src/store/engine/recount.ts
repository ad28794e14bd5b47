import { QUARANTINED_INCIDENTS, UNFILED_INCIDENTS } from '../journal/quarantine.ts'
import { channelName, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { query } from './statement.ts'

/**
 * Sets the counts in memory to those of the database. Walks all incidents: for the opening. Notices and pages are
 * counted by their own files.
 */
export function recount({ db, counts, channels }: Pick<StoreContext, 'db' | 'counts' | 'channels'>): void {
  const incidents = query<{ incidents: number }>(db, 'SELECT count(*) AS incidents FROM incidents').get()
  const finished = query<{ finished: number }>(
    db,
    'SELECT count(*) AS finished FROM incidents WHERE notify_status <> 0 AND oncall_open = 0',
  )
  counts.incidents = incidents?.incidents ?? 0
  counts.finished = finished.get()?.finished ?? 0
  const unfiled = query<{ entries: number; incidents: number }>(
    db,
    `SELECT count(*) AS entries, coalesce(sum(${UNFILED_INCIDENTS}), 0) AS incidents FROM unfiled LEFT JOIN contents USING (first)`,
  ).get()
  const { entries, incidents: waiting } = unfiled ?? { entries: 0, incidents: 0 }
  counts.unfiled = { entries, incidents: waiting, deliveries: waiting * channels.length }
  const quarantined = query<{ incidents: number }>(
    db,
    `SELECT coalesce(sum(${QUARANTINED_INCIDENTS}), 0) AS incidents FROM quarantine LEFT JOIN contents USING (first)`,
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
