import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery.ts'
import type { Notices } from '../contract.ts'
import { loadHealth } from '../deliveries/channel-health.ts'
import { type DueIndex, recount } from '../deliveries/due.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import { recountNotices } from '../notices/notices.ts'
import { CHANNEL_CODE, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { command, query } from './statement.ts'

/** Longer than any backoff: a due time beyond it was set by a clock that was wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/** After a sender died: what it held is pending again. A walk over all deliveries, since no index is worth its cost at commit. */
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

export function openMakeDueNow({ db, channels, now }: StoreContext, dueIndex: DueIndex) {
  const makeDueNow = command(
    db,
    `UPDATE deliveries SET next_attempt_at = ?1
     WHERE channel = ?2 AND state = ${STATE.pending} AND next_attempt_at > ?1 AND attempts = 0`,
  )
  return () => {
    for (const channel of channels) {
      makeDueNow.run(now(), CHANNEL_CODE[channel])
      dueIndex.refreshNextDue(channel)
    }
  }
}

/** What the process before left behind, put in order; inside the first transaction. */
export function recover(
  context: StoreContext,
  { finish }: NotifyStatusTracker,
  reclaim: (channels: readonly ChannelName[]) => number,
) {
  const { db, now } = context
  command(
    db,
    `UPDATE deliveries SET next_attempt_at = ?1 WHERE state = ${STATE.pending} AND next_attempt_at > ?1 + ${LONGEST_WAIT_MS}`,
  ).run(now())
  command(db, 'UPDATE unfiled SET committed_at = ?1 WHERE committed_at > ?1').run(now())
  const skipped = skipDisabled(context)
  recount(context)
  loadHealth(context)
  recountNotices(context)
  for (const incident of skipped) finish(incident)
  reclaim(CHANNEL_NAMES)
}

/** Deliveries of channels that are no longer enabled are skipped; returns their incidents. */
function skipDisabled({ db, channels }: StoreContext): number[] {
  const enabled = channels.map((name) => CHANNEL_CODE[name]).join(', ')
  const orphans = `state IN (${STATE.pending}, ${STATE.sending}) AND channel NOT IN (${enabled})`
  const incidents = query<{ incident: number }>(db, `SELECT DISTINCT incident FROM deliveries WHERE ${orphans}`).all()
  command(db, `UPDATE deliveries SET state = ${STATE.skipped}, next_attempt_at = NULL WHERE ${orphans}`).run()
  return incidents.map((row) => row.incident)
}
