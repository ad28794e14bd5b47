import type { ChannelName } from '../../domain/delivery.ts'
import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command } from '../engine/statement.ts'
import type { Notices } from '../notices/notices.ts'
import type { DueIndex } from './due-index.ts'

/**
 * Makes pending again what senders of the channels held when they died; returns the number of deliveries. Walks all
 * deliveries: an index of leased ones would cost more at each commit than it saves here. Inside `write`.
 */
export function openReclaim(
  { db, counts, inFlight }: StoreContext,
  dueIndex: DueIndex,
  notices: Pick<Notices, 'reclaim'>,
) {
  const reclaim = command(
    db,
    `UPDATE deliveries SET state = ${STATE.pending}, may_duplicate = 1 WHERE state = ${STATE.sending} AND channel = ?`,
  )
  return (channels: readonly ChannelName[]) =>
    channels.reduce((sum, channel) => {
      inFlight.clear()
      notices.reclaim(channel)
      const { changes } = reclaim.run(CHANNEL_CODE[channel])
      const queue = counts.queues[channel]
      queue.pending += changes
      queue.sending -= changes
      dueIndex.refreshNextDue(channel)
      return sum + changes
    }, 0)
}
