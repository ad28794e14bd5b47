import { RANK } from '../../domain/dispatch.ts'
import { recountAccounts } from '../noise/silences/accounts.ts'
import { DESTINATION_CODE, KIND, kindName, ONCALL_OPEN, PHASE, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { type QueuedKind, queueOf } from './counts.ts'
import { query } from './statement.ts'

/**
 * Sets the counts in memory to those of the database. Walks all incidents and dispatches: for the opening. Notices
 * are counted by their own file.
 */
export function recount({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  const incidents = query<{ incidents: number }>(db, 'SELECT count(*) AS incidents FROM incidents').get()
  const finished = query<{ finished: number }>(
    db,
    'SELECT count(*) AS finished FROM incidents WHERE notify_status <> 0 AND oncall_open = 0',
  )
  counts.incidents = incidents?.incidents ?? 0
  counts.finished = finished.get()?.finished ?? 0
  const open = query<{ pages: number }>(
    db,
    `SELECT count(*) AS pages FROM incidents WHERE oncall_open = ${ONCALL_OPEN.page}`,
  )
  counts.openPages = open.get()?.pages ?? 0
  const quarantined = query<{ incidents: number }>(
    db,
    'SELECT coalesce(sum(last - first + 1), 0) AS incidents FROM quarantine',
  )
  counts.quarantined = quarantined.get()?.incidents ?? 0
  const held = query<{ deliveries: number; timers: number }>(
    db,
    `SELECT (SELECT count(*) FROM holds WHERE firing = 1 AND destination <> ${DESTINATION_CODE.oncall}) AS deliveries,
       (SELECT count(*) FROM oncall WHERE phase = ${PHASE.held}) AS timers`,
  )
  counts.held = { deliveries: 0, timers: 0, ...held.get() }
  recountAccounts({ db, counts })
  for (const queues of Object.values(counts.queues)) queues.clear()
  const queues = query<{
    kind: number
    destination: number
    urgent: number
    state: number
    dispatches: number
    due: number
  }>(
    db,
    `SELECT kind, destination, rank = ${RANK.urgent} AS urgent, state, count(*) AS dispatches, min(due_at) AS due FROM dispatches
     WHERE state IN (${STATE.pending}, ${STATE.sending}) AND kind NOT IN (${KIND.notice}, ${KIND.digest}) GROUP BY kind, destination, urgent, state`,
  )
  for (const { kind, destination, urgent, state, dispatches, due } of queues.all()) {
    const queue = queueOf(counts, urgent ? 'urgent' : (kindName(kind) as QueuedKind), destination)
    if (state === STATE.sending) queue.sending = dispatches
    else Object.assign(queue, { pending: dispatches, dueAt: due })
  }
}
