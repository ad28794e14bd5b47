import type { Destination } from '../../../domain/delivery/delivery.ts'
import { type Dispatch, type GatewayPage, RANK } from '../../../domain/delivery/dispatch.ts'
import {
  type LineNotice,
  type PageNotice,
  pageHeadline,
  type SilenceNotice,
  silenceHeadline,
} from '../../../domain/delivery/notice.ts'
import { STATE } from '../../engine/column-codes.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import type { Leases } from '../../outbox/lease.ts'
import { NOTICES, openNoticeRows } from '../../outbox/notices.ts'
import { noticeMessage } from '../../outbox/own-message.ts'

/** Pending notices without a subject belong to one destination each: accounts of silences, and messages to people. */
const PENDING = `${NOTICES} WHERE n.about IS NULL AND d.state = ${STATE.pending}`

interface AccountRow {
  readonly number: number
  readonly attempts: number
  readonly may_duplicate: number
  readonly words: string
}

/** What a notice to one destination says. Of pages it is composed when it is handed out. */
type Words = SilenceNotice | ((LineNotice | { readonly kind: 'page' }) & { readonly gateway?: GatewayPage['gateway'] })

/** Composes a message about pages; undefined: it has nothing to say any more. */
type Compose = (message: number, mayRepeat: boolean) => PageNotice | undefined

/** Notices with a destination of their own: accounts of silences, and messages to people. Inside `write`. */
export type Accounts = ReturnType<typeof openAccounts>

export function openAccounts(context: StoreContext, leases: Pick<Leases, 'take'>, compose: Compose) {
  const { db, counts, lanes, now } = context
  const rows = openNoticeRows(context)
  const due = db.query<AccountRow>(
    `SELECT n.number, d.attempts, d.may_duplicate, n.words FROM ${PENDING} AND d.destination = ? AND d.due_at <= ?
     ORDER BY d.due_at, n.number LIMIT ?`,
  )
  const next = db.query<{ due_at: number | null }>(
    `SELECT min(d.due_at) AS due_at FROM ${PENDING} AND d.destination = ?`,
  )
  const refreshNextDue = (code: number) => void counts.accounts.set(code, next.get(code)?.due_at ?? Infinity)

  return {
    /** Returns its number. */
    raise(lane: Lane, words: Words): number {
      counts.accounts.set(lane.code, Math.min(now(), counts.accounts.get(lane.code) ?? Infinity))
      return rows.insert({ words: JSON.stringify(words) }, { code: lane.code, dueAt: now(), target: lane.target })
    },
    /** Leases what is due. Costs no query while nothing is. */
    claim(destination: Destination, slots: number): Dispatch[] {
      const dispatches: Dispatch[] = []
      for (const lane of lanes.all(destination)) {
        const left = slots - dispatches.length
        if (left < 1 || (counts.accounts.get(lane.code) ?? Infinity) > now()) continue
        for (const row of due.all(lane.code, now(), left)) {
          const words: Words = JSON.parse(row.words)
          const notice = words.kind === 'page' ? compose(row.number, row.may_duplicate === 1) : words
          if (notice === undefined) {
            rows.skip(row.number)
            continue
          }
          leases.take({ kind: 'notice', destination, code: lane.code, incident: 0, number: row.number })
          dispatches.push(...dispatchOf(row, lane, { words, notice, now: now() }))
        }
        refreshNextDue(lane.code)
      }
      return dispatches
    },
    /** Reads when the next one is due, after pending ones have changed. */
    refreshNextDue,
  }
}

/** Sets the counts of accounts to those of the database. */
export function recountAccounts({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  counts.accounts.clear()
  const due = db.query<{ destination: number; due_at: number }>(
    `SELECT d.destination, min(d.due_at) AS due_at FROM ${PENDING} GROUP BY d.destination`,
  )
  for (const { destination, due_at } of due.all()) counts.accounts.set(destination, due_at)
}

type DirectNotice = SilenceNotice | LineNotice | PageNotice

function dispatchOf(
  row: AccountRow,
  { code, destination, target }: Lane,
  { words, notice, now }: { readonly words: Words; readonly notice: DirectNotice; readonly now: number },
): Dispatch[] {
  const to = target === undefined ? undefined : { target }
  const message = { ...noticeMessage(row, now), code, notice, ...factsOf(notice), ...to }
  if (destination !== 'oncall') return [{ ...message, destination, rank: RANK.normal }]
  const { gateway } = words.kind === 'silence' ? {} : words
  if (gateway === undefined || notice.kind === 'silence') return []
  const id = `${row.number}-${gateway.id}`
  return [{ ...message, destination, notice, gateway: { ...gateway, id } }]
}

function factsOf(notice: DirectNotice): Pick<Dispatch, 'title' | 'severity' | 'status'> {
  switch (notice.kind) {
    case 'silence':
      return { title: silenceHeadline(notice), severity: 'info', status: notice.firing > 0 ? 'firing' : 'resolved' }
    case 'page':
      return { title: pageHeadline(notice), severity: notice.shown[0]?.severity ?? 'critical', status: 'firing' }
    case 'line':
      return { title: notice.text, severity: 'info', status: 'resolved' }
    default:
      return notice satisfies never
  }
}
