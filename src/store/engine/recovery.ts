import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery.ts'
import { loadHealth } from '../deliveries/channel-health.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import { recountNotices } from '../notices/notices.ts'
import { CHANNEL_CODE, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { recount } from './recount.ts'
import { command, query } from './statement.ts'

/** Longer than any backoff: a later due time was set while the clock was wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/**
 * Repairs what the previous process left: due times of a wrong clock, deliveries of channels that are disabled now,
 * leases. Then counts everything. Inside the first transaction.
 */
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

/** Skips unfinished deliveries of channels that are not enabled any more; returns their incidents. */
function skipDisabled({ db, channels }: StoreContext): number[] {
  const enabled = channels.map((name) => CHANNEL_CODE[name]).join(', ')
  const orphans = `state IN (${STATE.pending}, ${STATE.sending}) AND channel NOT IN (${enabled})`
  const incidents = query<{ incident: number }>(db, `SELECT DISTINCT incident FROM deliveries WHERE ${orphans}`).all()
  command(db, `UPDATE deliveries SET state = ${STATE.skipped}, next_attempt_at = NULL WHERE ${orphans}`).run()
  return incidents.map((row) => row.incident)
}
