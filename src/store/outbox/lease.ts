import { type DispatchKey, RANK, type Settlement } from '../../domain/delivery/dispatch.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { queueOf } from '../engine/counts.ts'
import { withoutNul } from '../engine/statement.ts'
import type { LeasedRow } from './in-flight-cache.ts'
import { textOrNull } from './ledger.ts'
import { addPending, followUpQueue } from './queues.ts'

/**
 * In milliseconds, far above the time that a dispatch spends in a sender. The expiry is for owners whose end cannot be observed. An
 * owner of this database is a life of its only process: earlier ones have ended, and a lease of the present one ends
 * only when its sender has settled it or is known to be gone, so a slow send is never repeated because of its expiry.
 */
export const LEASE_MS = 15 * 60_000

/** State after a lease. */
interface Ending {
  readonly state: 'pending' | 'sent' | 'dead'
  /** Null when it ended. */
  readonly dueAt: number | null
}

const KEY = 'incident = ? AND kind = ? AND destination = ? AND number = ?'
const keyColumns = ({ incident, kind, code, number }: DispatchKey) => [incident, KIND[kind], code, number] as const

/**
 * Leases of dispatches, with their counts: state `sending`, with owner and expiry. All kinds but pages, which have
 * a table of their own. Inside `write`.
 */
export type Leases = ReturnType<typeof openLeases>

export function openLeases({ db, counts, owner, now }: StoreContext) {
  const take = db.command(
    `UPDATE dispatches SET state = ${STATE.sending}, lease_owner = ${owner}, lease_until = ? WHERE ${KEY}`,
  )
  const find =
    db.query<LeasedRow>(`SELECT attempts, earlier_attempts, may_duplicate, due_at, target, rank FROM dispatches
     WHERE ${KEY} AND state = ${STATE.sending}`)
  const end = db.command(
    `UPDATE dispatches SET state = ?, attempts = ?, due_at = ?, may_duplicate = ?, message_id = coalesce(?, message_id),
       dead_reason = ?, lease_owner = NULL, lease_until = NULL WHERE ${KEY}`,
  )
  const lose = db.query<{ due_at: number; rank: number }>(
    `UPDATE dispatches SET state = ${STATE.pending}, may_duplicate = 1, lease_owner = NULL, lease_until = NULL,
       due_at = CASE WHEN due_at > ? THEN ? ELSE due_at END WHERE ${KEY} RETURNING due_at, rank`,
  )
  const remove = db.command(`DELETE FROM dispatches WHERE ${KEY}`)

  const queueOfKey = ({ kind, code }: DispatchKey, rank?: number) => {
    if (kind === 'notice' || kind === 'digest') return undefined
    if (kind === 'follow-up') return queueOf(counts, followUpQueue(rank ?? RANK.normal), code)
    return queueOf(counts, kind === 'delivery' && rank === RANK.urgent ? 'urgent' : kind, code)
  }

  return {
    /** Leases a pending dispatch to its sender. The caller refreshes the next due time of its queue, as for `remove`. */
    take(key: DispatchKey, rank?: number): void {
      take.run(now() + LEASE_MS, ...keyColumns(key))
      const queue = queueOfKey(key, rank)
      if (queue === undefined) return
      queue.pending--
      queue.sending++
    },
    /** Returns the row; undefined when it is not leased. */
    find: (key: DispatchKey): LeasedRow | undefined => find.get(...keyColumns(key)),
    /** Ends a lease with the settlement's attempt. */
    end(settlement: Settlement, row: LeasedRow, { state, dueAt }: Ending): void {
      const { attempt, verdict } = settlement
      end.run(
        ...[STATE[state], row.attempts + (attempt === undefined ? 0 : 1), dueAt],
        ...[row.may_duplicate === 1 || attempt?.mayDuplicate === true ? 1 : 0, textOrNull(attempt?.messageId)],
        state === 'dead' && verdict.state === 'dead' ? withoutNul(verdict.reason) : null,
        ...keyColumns(settlement),
      )
      const queue = queueOfKey(settlement, row.rank)
      if (queue === undefined) return
      queue.sending--
      if (dueAt !== null) addPending(queue, dueAt)
    },
    /** Makes a leased dispatch pending again whose sender died. The clock may have been set back since the claim. */
    lose(key: DispatchKey): void {
      const row = lose.get(now(), now(), ...keyColumns(key))
      const queue = queueOfKey(key, row?.rank)
      if (queue === undefined || row === undefined) return
      queue.sending--
      addPending(queue, row.due_at)
    },
    /** Deletes a dispatch that is leased or pending. */
    remove(key: DispatchKey, state: 'pending' | 'sending', rank?: number): void {
      remove.run(...keyColumns(key))
      const queue = queueOfKey(key, rank)
      if (queue !== undefined) queue[state]--
    },
  }
}
