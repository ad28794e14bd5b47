import type { ChannelName } from '../../../domain/delivery.ts'
import { type MessageDispatch, RANK } from '../../../domain/dispatch.ts'
import { type SilenceNotice, silenceHeadline } from '../../../domain/notice.ts'
import { STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { query } from '../../engine/statement.ts'
import type { Leases } from '../../outbox/lease.ts'
import { NOTICES, openInsertNotice } from '../../outbox/notices.ts'
import { ownMessage } from '../../outbox/own-message.ts'

/** Pending notices without a subject are accounts of silences: each belongs to one destination. */
const PENDING = `${NOTICES} WHERE n.about IS NULL AND d.state = ${STATE.pending}`

interface AccountRow {
  readonly number: number
  readonly attempts: number
  readonly may_duplicate: number
  readonly words: string
}

/** Accounts of silences for the destinations: notices with a destination of their own. Inside `write`. */
export interface Accounts {
  raise(lane: Lane<ChannelName>, notice: SilenceNotice): void
  /** Leases what is due. Costs no query while nothing is. */
  claim(channel: ChannelName, slots: number): MessageDispatch[]
  /** Reads when the next one is due, after pending ones have changed. */
  refreshNextDue(code: number): void
}

export function openAccounts(context: StoreContext, leases: Pick<Leases, 'take'>): Accounts {
  const { db, counts, lanes, now } = context
  const insert = openInsertNotice(db)
  const due = query<AccountRow>(
    db,
    `SELECT n.number, d.attempts, d.may_duplicate, n.words FROM ${PENDING} AND d.destination = ? AND d.due_at <= ?
     ORDER BY d.due_at, n.number LIMIT ?`,
  )
  const next = query<{ due_at: number | null }>(
    db,
    `SELECT min(d.due_at) AS due_at FROM ${PENDING} AND d.destination = ?`,
  )
  const refreshNextDue = (code: number) => void counts.accounts.set(code, next.get(code)?.due_at ?? Infinity)

  return {
    raise(lane, notice) {
      insert({ words: JSON.stringify(notice) }, { code: lane.code, dueAt: now(), target: lane.target })
      counts.accounts.set(lane.code, Math.min(now(), counts.accounts.get(lane.code) ?? Infinity))
    },
    claim(channel, slots) {
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        const left = slots - dispatches.length
        if (left < 1 || (counts.accounts.get(lane.code) ?? Infinity) > now()) continue
        for (const row of due.all(lane.code, now(), left)) {
          leases.take({ kind: 'notice', destination: channel, code: lane.code, incident: 0, number: row.number })
          dispatches.push(dispatchOf(row, lane, now()))
        }
        refreshNextDue(lane.code)
      }
      return dispatches
    },
    refreshNextDue,
  }
}

/** Sets the counts of accounts to those of the database. */
export function recountAccounts({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  counts.accounts.clear()
  const due = query<{ destination: number; due_at: number }>(
    db,
    `SELECT d.destination, min(d.due_at) AS due_at FROM ${PENDING} GROUP BY d.destination`,
  )
  for (const { destination, due_at } of due.all()) counts.accounts.set(destination, due_at)
}

function dispatchOf(row: AccountRow, lane: Lane<ChannelName>, now: number): MessageDispatch {
  const notice: SilenceNotice = JSON.parse(row.words)
  return {
    ...ownMessage(now),
    kind: 'notice',
    destination: lane.destination,
    code: lane.code,
    rank: RANK.normal,
    incident: 0,
    number: row.number,
    id: `notice-${row.number}`,
    notice,
    title: silenceHeadline(notice),
    severity: 'info',
    status: notice.firing > 0 ? 'firing' : 'resolved',
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    ...(lane.target === undefined ? undefined : { target: lane.target }),
  }
}
