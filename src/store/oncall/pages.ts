import type { Page, Settlement } from '../../domain/dispatch.ts'
import type { Signal } from '../../domain/escalation.ts'
import { DESTINATION_CODE, KIND, PROVIDER_KNOWS, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { queueOf } from '../engine/counts.ts'
import { query } from '../engine/statement.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'
import { type WordsRow, wordsOf } from '../outbox/delivery-dispatch.ts'
import type { Ledger } from '../outbox/ledger.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Escalations } from './escalations.ts'
import type { TargetOf, TargetRow } from './open-pages.ts'
import { isLeased, ONCALL_COLUMNS, type OncallRow } from './rows.ts'

/** A larger payload is left out of the page; the dashboard shows it. */
const MAX_CONTENT_BYTES = 65_536

interface DueRow extends OncallRow, PayloadSlice, TargetRow, WordsRow {
  readonly signal: Signal
  readonly attempts: number
  readonly acked_by: string | null
}

interface ClaimDeps {
  readonly advance: Escalations['advance']
  readonly payloads: Pick<Payloads, 'of'>
  readonly targetOf: TargetOf
}

/** Opens the lease of signals that are due, in order of time. Inside `write`. */
export function openClaimPages({ db, counts, now }: StoreContext, { advance, payloads, targetOf }: ClaimDeps) {
  const due = query<DueRow>(
    db,
    `SELECT ${ONCALL_COLUMNS}, i.id, i.created_at, i.source, i.sender, i.title, i.service, i.severity, i.status, i.acked_by, i.seq, i.content_start,
       i.content_bytes, i.decision, p.overrides
     FROM dispatches d CROSS JOIN oncall o CROSS JOIN incidents i
       LEFT JOIN particulars p ON p.seq = d.incident
     WHERE o.incident = d.incident AND i.seq = d.incident AND d.kind = ${KIND.page} AND d.destination = ${DESTINATION_CODE.oncall} AND d.state = ${STATE.pending} AND d.due_at <= ?
     ORDER BY d.due_at, d.incident LIMIT ?`,
  )
  return function claimPages(slots: number): Page[] {
    if (slots < 1 || queueOf(counts, 'page', DESTINATION_CODE.oncall).dueAt > now()) return []
    const rows = due.all(now(), slots)
    advance(rows, { kind: 'claimed' })
    return rows.map((row) => ({
      ...pageOf(row, { target: targetOf(row), dispatchedAt: now() }),
      ...(row.content_bytes <= MAX_CONTENT_BYTES && { content: payloads.of(row) }),
    }))
  }
}

function pageOf(row: DueRow, { target, dispatchedAt }: { target: string | undefined; dispatchedAt: number }): Page {
  return {
    kind: 'page',
    destination: 'oncall',
    code: DESTINATION_CODE.oncall,
    number: 0,
    ...wordsOf(row),
    signal: row.signal,
    dueAt: row.due_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.heard === PROVIDER_KNOWS.maybe,
    dispatchedAt,
    ...(target === undefined ? {} : { target }),
    ...(row.acked_by === null ? {} : { by: row.acked_by }),
  }
}

/**
 * Opens the settling of pages: ledger and escalation. Returns undefined when the page is not leased. Inside `write`.
 */
export function openSettlePage({ rows, advance }: Escalations, ledger: Ledger) {
  return function settlePage(settlement: Settlement): OncallChange | undefined {
    const { incident, verdict, attempt } = settlement
    const row = rows.find(incident)
    if (row === undefined || !isLeased(row)) return undefined
    ledger.record(settlement)
    const attempted = attempt !== undefined
    const mayDuplicate = attempt?.mayDuplicate ?? false
    return advance([row], { kind: 'settled', verdict, attempted, mayDuplicate })[0]
  }
}
