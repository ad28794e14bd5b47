import type { OncallPolicy } from '../../domain/oncall.ts'
import { PHASE, PROVIDER_KNOWS, SIGNAL } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Escalations } from './escalations.ts'
import type { OncallRow } from './rows.ts'

/** Longer than any backoff: a later time was set while the clock was wrong. */
const LONGEST_BACKOFF_MS = 24 * 3_600_000

/** Makes due again the signals that a dead pager held; returns their number. Inside `write`. */
export function openReclaimPages({ rows, advance }: Escalations) {
  return () => advance(rows.inFlight(), { kind: 'lost' }).length
}

/**
 * Moves timers and commit times with the machine's clock, so that what waits still waits as long as it would have.
 * Inside `write`.
 */
export function openShift({ db }: StoreContext, { refreshNextDue }: Escalations) {
  const shift = command(db, 'UPDATE oncall SET due_at = due_at + ?1, next_at = next_at + ?1 WHERE signal IS NOT NULL')
  const shiftJournal = command(db, 'UPDATE unfiled SET committed_at = committed_at + ?')
  return (byMs: number) => {
    shift.run(byMs)
    shiftJournal.run(byMs)
    refreshNextDue()
  }
}

/**
 * Counts open signals, bounds timers of a wrong clock, ends leases, and cancels what the policy rules out now. Inside
 * the first transaction.
 */
export function recoverOncall(context: StoreContext, escalations: Escalations, policy: OncallPolicy | undefined): void {
  recount(context)
  clampTimers(context)
  escalations.refreshNextDue()
  openReclaimPages(escalations)()
  escalations.advance(obsolete(context, policy), { kind: 'switched off' })
}

function recount({ db, counts }: StoreContext): void {
  const open = query<{ open: number }>(db, 'SELECT count(*) AS open FROM oncall WHERE signal IS NOT NULL').get()
  counts.pager.open = open?.open ?? 0
}

/** Bounds timers: one that ends later than its full wait from now was set before the clock was set back. */
function clampTimers({ db, now }: StoreContext): void {
  command(
    db,
    `UPDATE oncall SET due_at = ?1 + wait_ms, next_at = ?1 + wait_ms WHERE phase = ${PHASE.armed} AND due_at > ?1 + wait_ms`,
  ).run(now())
  command(
    db,
    `UPDATE oncall SET next_at = ?1 WHERE phase <> ${PHASE.armed} AND next_at > ?1 + ${LONGEST_BACKOFF_MS}`,
  ).run(now())
}

/**
 * Signals that must not go out any more: pages while paging is off, and updates for a provider that is not the
 * configured one.
 */
function obsolete({ db }: StoreContext, policy: OncallPolicy | undefined): OncallRow[] {
  if (policy === undefined) return query<OncallRow>(db, 'SELECT * FROM oncall WHERE signal IS NOT NULL').all()
  const asked = `coalesce(json_extract((SELECT overrides FROM particulars WHERE seq = incident), '$.oncallEnable'), 0) <> 0`
  return query<OncallRow>(
    db,
    `SELECT * FROM oncall WHERE signal IS NOT NULL AND (
       (signal = ${SIGNAL.trigger} AND heard = ${PROVIDER_KNOWS.no} AND NOT ?1 AND NOT ${asked})
       OR (signal <> ${SIGNAL.trigger} AND provider IS NOT NULL AND provider <> ?2))`,
  ).all(policy.enable ? 1 : 0, policy.provider)
}
