import { CHANNEL_CODE, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command } from '../engine/statement.ts'
import type { DueIndex } from './due-index.ts'

/** Makes due now the deliveries that were deferred before their first attempt. Inside `write`. */
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
