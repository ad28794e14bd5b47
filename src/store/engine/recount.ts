import { RANK } from '../../domain/delivery/dispatch.ts'
import { recountAccounts } from '../noise/silences/accounts.ts'
import { DESTINATION_CODE, KIND, kindName, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { type QueuedKind, queueOf } from './counts.ts'
import { countInSteps, inSteps } from './steps.ts'

/**
 * Sets the counts in memory to those of the database. Walks all incidents in steps: for the opening. No dispatch is leased.
 * Notices and pages are counted by their own files.
 */
export function recount({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  const numberOf = (sql: string) => db.query<{ rows: number }>(`SELECT ${sql}`).get()?.rows ?? 0
  const isFinished = 'notify_status <> 0 AND oncall_open = 0'
  counts.incidents = countInSteps(db, { table: 'incidents', key: ['id'], first: '' })
  counts.finished = countInSteps(db, { table: 'incidents', key: ['seq'], first: -1, where: isFinished })
  counts.quarantined = numberOf('coalesce(sum(last - first + 1), 0) AS rows FROM quarantine')
  counts.held.deliveries = numberOf(
    `count(*) AS rows FROM tellings WHERE silence IS NOT NULL AND held IS NOT NULL AND destination <> ${DESTINATION_CODE.oncall}`,
  )
  recountAccounts({ db, counts })
  for (const queues of Object.values(counts.queues)) queues.clear()
  recountPending({ db, counts })
}

interface PendingRow {
  readonly kind: number
  readonly destination: number
  readonly rank: number
  readonly dispatches: number
  readonly due: number
}

function recountPending({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  const key = ['kind', 'destination', 'rank', 'due_at', 'incident']
  inSteps(db, { table: 'dispatches', key, first: -1, where: `state = ${STATE.pending}` }, (range) => {
    const pending =
      db.query<PendingRow>(`SELECT kind, destination, rank, count(*) AS dispatches, min(due_at) AS due FROM dispatches
       WHERE ${range} GROUP BY kind, destination, rank`)
    return (...bounds) => {
      for (const { kind, destination, rank, dispatches, due } of pending.all(...bounds)) {
        if (kind === KIND.notice || kind === KIND.digest) continue
        const isEdit = kind === KIND['follow-up'] && rank === RANK.low
        const name = isEdit ? 'edit' : rank === RANK.urgent ? 'urgent' : (kindName(kind) as QueuedKind)
        const queue = queueOf(counts, name, destination)
        queue.pending += dispatches
        queue.dueAt = Math.min(queue.dueAt, due)
      }
    }
  })
}
