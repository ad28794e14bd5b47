import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { RANK } from '../../domain/delivery/dispatch.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, type Queue, type QueuedKind, queueOf } from '../engine/counts.ts'
import type { ChannelBacklog } from '../ports/channels.ts'

/** The next due time of each queue and the backlog of each channel, from the partial index of pending dispatches. */
export function openQueues({ db, counts, lanes }: StoreContext) {
  const earliest = db.query<{ due_at: number }>(`SELECT due_at FROM dispatches
     WHERE kind = ? AND destination = ? AND rank = ? AND state = ${STATE.pending} ORDER BY due_at LIMIT 1`)
  const oldest = db.query<{ committed_at: number }>(`SELECT committed_at FROM incidents WHERE seq =
       (SELECT min(+incident) FROM dispatches
        WHERE kind = ${KIND.delivery} AND destination = ? AND state = ${STATE.pending})`)

  /** Reads the queue's `dueAt` from the index again, after rows left `pending`. */
  function refreshNextDue(kind: QueuedKind, code: number): void {
    const queue = queueOf(counts, kind, code)
    queue.dueAt = Infinity
    if (queue.pending === 0) return
    const kindCode = kind === 'urgent' ? KIND.delivery : kind === 'edit' ? KIND['follow-up'] : KIND[kind]
    for (const rank of RANKS_OF[kind])
      queue.dueAt = Math.min(queue.dueAt, earliest.get(kindCode, code, rank)?.due_at ?? Infinity)
  }

  return {
    refreshNextDue,
    /** As `refreshNextDue`, of both queues of deliveries. */
    refreshDeliveries(code: number): void {
      refreshNextDue('urgent', code)
      refreshNextDue('delivery', code)
    },
    backlogOf(channel: ChannelName): ChannelBacklog {
      let [pending, sending] = [0, 0]
      let oldestPendingAt: number | undefined
      for (const { code } of lanes.all(channel)) {
        const [normal, urgent] = [queueOf(counts, 'delivery', code), queueOf(counts, 'urgent', code)]
        const waiting = normal.pending + urgent.pending
        pending += waiting
        sending += normal.sending + urgent.sending
        const committedAt = waiting === 0 ? undefined : oldest.get(code)?.committed_at
        if (committedAt !== undefined) oldestPendingAt = Math.min(committedAt, oldestPendingAt ?? Infinity)
      }
      return { pending, sending, oldestPendingAt }
    },
  }
}

/** Counts a dispatch that became pending. */
export function addPending(queue: Queue, dueAt: number): void {
  queue.pending++
  queue.dueAt = Math.min(queue.dueAt, dueAt)
}

/** Returns the queue of a follow-up: edits that no person waits for have one of their own. */
export const followUpQueue = (rank: number) => (rank === RANK.low ? 'edit' : 'follow-up')

/** Ranks of the dispatches of a queue, in the order of sending. */
export const RANKS_OF: { readonly [kind in QueuedKind]: readonly number[] } = {
  urgent: [RANK.urgent],
  delivery: [RANK.normal, RANK.low],
  'follow-up': [RANK.normal],
  edit: [RANK.low],
  page: [RANK.normal],
}

const MOVED = [KIND.delivery, KIND['follow-up'], KIND.notice] as const

/** Moves the due times of what is pending with a clock that was set, as those of pages and digests are. Inside `write`. */
export function openShiftDue({ db, counts }: StoreContext) {
  const shift = db.command(`UPDATE dispatches SET due_at = due_at + ? WHERE kind = ? AND state = ${STATE.pending}`)
  return (byMs: number): void => {
    for (const kind of MOVED) shift.run(byMs, kind)
    for (const kind of ['delivery', 'urgent', 'follow-up', 'edit'] as const)
      for (const queue of counts.queues[kind].values()) queue.dueAt += byMs
    for (const queue of Object.values(counts.notices)) queue.dueAt += byMs
    for (const [code, dueAt] of counts.accounts) counts.accounts.set(code, dueAt + byMs)
  }
}

/** Opens making due now what waits of the deliveries to a destination; `condition`: only those. Inside `write`. */
export function openMakeDue(context: StoreContext, condition = '') {
  const { db, now } = context
  const { refreshDeliveries } = openQueues(context)
  const makeDue = db.command(`UPDATE dispatches SET due_at = ?1
     WHERE kind = ${KIND.delivery} AND destination = ?2 AND state = ${STATE.pending} AND due_at > ?1 ${condition}`)
  return ({ code }: Lane): void => {
    makeDue.run(now(), code)
    refreshDeliveries(code)
  }
}
