import type { Overrides } from '../../domain/incident.ts'
import type { OncallPolicy } from '../../domain/oncall.ts'
import type { Decision } from '../../policy/decision.ts'
import { DESTINATION_CODE, KIND, PHASE, PROVIDER_KNOWS } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Escalations } from './escalations.ts'
import { type OncallRow, SELECT_ONCALL } from './rows.ts'

/** Pages of all escalations, by the key of `dispatches`. */
const PAGE_KEYS = `(incident, kind, destination, number) IN (SELECT incident, ${KIND.page}, ${DESTINATION_CODE.oncall}, 0 FROM oncall`

/** Opens what makes signals due again that a dead pager held. Inside `write`. */
export function openLosePages({ rows, advance }: Escalations) {
  return (incidents: readonly number[]) => {
    const held = incidents.flatMap((incident) => rows.find(incident) ?? [])
    advance(held, { kind: 'lost' })
  }
}

/**
 * Moves timers, open pages and commit times with the machine's clock, so that what waits still waits as long as it would
 * have, and a page stands for later incidents as long.
 * Inside `write`.
 */
export function openShift({ db }: StoreContext, { refreshNextDue }: Escalations) {
  const shiftTimers = command(
    db,
    `UPDATE oncall SET due_at = due_at + ?1, paged_at = paged_at + ?1 WHERE phase < ${PHASE.resolved}`,
  )
  const shiftPages = command(db, `UPDATE dispatches SET due_at = due_at + ? WHERE ${PAGE_KEYS})`)
  return (byMs: number) => {
    for (const shift of [shiftTimers, shiftPages]) shift.run(byMs)
    refreshNextDue()
  }
}

/** Bounds timers of a wrong clock, and cancels what the policy rules out now. Inside the first transaction. */
export function recoverOncall(context: StoreContext, escalations: Escalations, policy: OncallPolicy | undefined): void {
  clampTimers(context)
  escalations.refreshNextDue()
  escalations.advance(obsolete(context, policy), { kind: 'switched off' })
}

/**
 * Bounds timers, and the time for which pages stand for later incidents: those due later than a full wait from now were
 * made before the clock was set back.
 */
function clampTimers({ db, now }: StoreContext): void {
  const tooLong = 'due_at > ?1 + wait_ms'
  command(
    db,
    `UPDATE dispatches SET due_at = ?1 + (SELECT wait_ms FROM oncall o WHERE o.incident = dispatches.incident)
     WHERE ${PAGE_KEYS} WHERE phase = ${PHASE.armed} AND ${tooLong})`,
  ).run(now())
  command(
    db,
    `UPDATE oncall SET due_at = ?1 + wait_ms, paged_at = paged_at + ?1 + wait_ms - due_at
     WHERE phase < ${PHASE.resolved} AND ${tooLong}`,
  ).run(now())
}

/**
 * Signals that must not go out any more: pages while paging is off, held ones included, and updates for a provider that is not the
 * configured one.
 */
function obsolete({ db }: StoreContext, policy: OncallPolicy | undefined): OncallRow[] {
  const rows = query<OncallRow>(db, `${SELECT_ONCALL} WHERE d.detail IS NOT NULL OR o.phase = ${PHASE.held}`).all()
  if (policy === undefined) return rows
  const wishes = query<{ readonly overrides: string | null; readonly decision: string | null }>(
    db,
    `SELECT p.overrides, x.json AS decision FROM incidents i LEFT JOIN particulars p ON p.seq = i.seq
       LEFT JOIN decisions x ON x.id = i.decision WHERE i.seq = ?`,
  )
  function isWanted(incident: number): boolean {
    const { overrides = null, decision = null } = wishes.get(incident) ?? {}
    const [asked, routed]: [Overrides, Partial<Decision>] = [
      JSON.parse(overrides ?? '{}'),
      JSON.parse(decision ?? '{}'),
    ]
    return asked.oncallEnable === true || routed.page !== undefined
  }
  return rows.filter(({ incident, signal, heard, provider }) => {
    if (signal !== null && signal !== 'trigger') return provider !== null && provider !== policy.provider
    return heard === PROVIDER_KNOWS.no && !policy.enable && !isWanted(incident)
  })
}
