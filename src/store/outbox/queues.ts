import type { ChannelName, Destination } from '../../domain/delivery.ts'
import { CHANNEL_CODE, DESTINATION_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Queue, QueuedKind } from '../engine/counts.ts'
import { query } from '../engine/statement.ts'
import type { ChannelBacklog } from '../ports/channels.ts'

/** The next due time of each queue and the backlog of each channel, from the partial index of pending dispatches. */
interface Queues {
  /** Reads the queue's `dueAt` from the index again, after rows left `pending`. */
  refreshNextDue(kind: QueuedKind, destination: Destination): void
  backlogOf(channel: ChannelName): ChannelBacklog
}

export function openQueues({ db, counts }: StoreContext): Queues {
  const earliest = query<{ due_at: number }>(
    db,
    `SELECT due_at FROM dispatches WHERE kind = ? AND destination = ? AND state = ${STATE.pending} ORDER BY due_at LIMIT 1`,
  )
  const oldest = query<{ committed_at: number }>(
    db,
    `SELECT committed_at FROM incidents WHERE seq =
       (SELECT min(+incident) FROM dispatches INDEXED BY dispatches_due
        WHERE kind = ${KIND.delivery} AND destination = ? AND state = ${STATE.pending})`,
  )
  return {
    refreshNextDue(kind, destination) {
      const queue = counts.queues[kind][destination]
      const next = queue.pending === 0 ? undefined : earliest.get(KIND[kind], DESTINATION_CODE[destination])
      queue.dueAt = next?.due_at ?? Infinity
    },
    backlogOf(channel) {
      const { pending, sending } = counts.queues.delivery[channel]
      const oldestPendingAt = pending === 0 ? undefined : oldest.get(CHANNEL_CODE[channel])?.committed_at
      return { pending, sending, oldestPendingAt }
    },
  }
}

/** Counts a dispatch that became pending. */
export function addPending(queue: Queue, dueAt: number): void {
  queue.pending++
  queue.dueAt = Math.min(queue.dueAt, dueAt)
}
