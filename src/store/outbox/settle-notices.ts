import type { DispatchKey, Settlement } from '../../domain/delivery/dispatch.ts'
import type { NoticeSubject } from '../../domain/delivery/notice.ts'
import { recordAttemptHealth } from '../deliveries/channel-health.ts'
import type { StoreParts } from '../parts.ts'
import { openNoticeRows } from './notices.ts'

/** Attempts before a notice is dead; each may go through another channel. */
const MAX_ATTEMPTS = 20
const RETRY_MS = 10_000

/** Opens the settling of notices; it returns false when the notice is not leased to this channel. Inside `write`. */
export function openSettleNotice(context: StoreParts) {
  const { counts, now, leases, ledger, runs } = context
  const rows = openNoticeRows(context)
  const refresh = openRefreshNotice(context)

  return function settleNotice(settlement: Settlement): boolean {
    const { destination, number, attempt, verdict } = settlement
    const row = leases.find(settlement)
    if (row === undefined) return false
    const attempts = row.attempts + (attempt === undefined ? 0 : 1)
    const isPage = runs?.isPage(number) ?? false
    // Another way of the person comes sooner than the next attempt of this one.
    const state = stateAfter(settlement, isPage ? MAX_ATTEMPTS : attempts)
    leases.end(settlement, row, { state, dueAt: state === 'pending' ? dueAt(verdict, row.due_at) : null })
    if (attempt !== undefined) {
      ledger.record(settlement, attempts)
      if (destination !== 'oncall') recordAttemptHealth(counts.health[destination], attempt, null)
    }
    if (state !== 'pending') rows.end(number)
    if (isPage && state !== 'pending') runs?.settled(number, state, attempt?.detail)
    refresh(settlement)
    return true
  }

  function dueAt(verdict: Settlement['verdict'], before: number | null): number | null {
    if (verdict.state === 'pending') return verdict.at
    return verdict.state === 'dead' ? now() + RETRY_MS : before
  }
}

function stateAfter({ verdict }: Settlement, attempts: number): 'sent' | 'pending' | 'dead' {
  if (verdict.state === 'sent') return 'sent'
  return verdict.state === 'dead' && attempts >= MAX_ATTEMPTS ? 'dead' : 'pending'
}

/** Opens the read when the next notice like one that changed is due. */
export function openRefreshNotice({ db, notices, accounts }: StoreParts) {
  const find = db.query<{ about: NoticeSubject | null }>('SELECT about FROM notices WHERE number = ?')
  return ({ number, code }: Pick<DispatchKey, 'number' | 'code'>): void => {
    const about = find.get(number)?.about ?? null
    if (about === null) accounts.refreshNextDue(code)
    else notices.refreshNextDue(about)
  }
}
