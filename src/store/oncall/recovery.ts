import type { OncallPolicy } from '../../domain/oncall.ts'
import { PHASE, PROVIDER_KNOWS, SIGNAL } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Escalations } from './escalations.ts'
import type { OncallRow } from './rows.ts'

/** Longer than any backoff: a time beyond it was set by a clock that was wrong. */
const LONGEST_BACKOFF_MS = 24 * 3_600_000

/** Whoever was to tell the provider is gone: what it held is to be told again; returns how many. */
export function openReclaimPages({ rows, advance }: Escalations) {
  return () => advance(rows.inFlight(), { kind: 'lost' }).length
}

/** The machine's clock was set: what waits still waits as long as it would have. */
export function openShift({ db }: StoreContext, { refreshNextDue }: Escalations) {
  const shift = command(db, 'UPDATE oncall SET due_at = due_at + ?1, next_at = next_at + ?1 WHERE signal IS NOT NULL')
  const shiftJournal = command(db, 'UPDATE unfiled SET committed_at = committed_at + ?')
  return (byMs: number) => {
    shift.run(byMs)
    shiftJournal.run(byMs)
    refreshNextDue()
  }
}

/** What the process before left behind, put in order; inside the first transaction. */
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

/** No timer runs longer than it was wound up for: a later time is that of a clock which has been set back since. */
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

/** Pages that nobody is to get any more, and words for a provider that is another one by now. */
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
