import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { ChannelBacklog } from '../ports/channels.ts'

/** The next due time and the backlog of each channel, from the partial index of pending deliveries. */
export interface DueIndex {
  /** Reads the channel's `dueAt` from the index again, after rows left or entered `pending`. */
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
