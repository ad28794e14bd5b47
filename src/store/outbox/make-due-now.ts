import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command } from '../engine/statement.ts'
import { openQueues } from './queues.ts'

/** Makes due now the deliveries that were deferred before their first attempt. Inside `write`. */
export function openMakeDueNow(context: StoreContext) {
  const { db, channels, lanes, now } = context
  const { refreshNextDue } = openQueues(context)
  const makeDueNow = command(
    db,
    `UPDATE dispatches SET due_at = ?1
     WHERE kind = ${KIND.delivery} AND destination = ?2 AND state = ${STATE.pending} AND due_at > ?1 AND attempts = 0`,
  )
  return () => {
    for (const { code } of channels.flatMap((channel) => lanes.all(channel))) {
      makeDueNow.run(now(), code)
      refreshNextDue('delivery', code)
      refreshNextDue('urgent', code)
    }
  }
}
