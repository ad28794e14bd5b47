import type { Overrides, Sender, Source, Status } from '../../domain/incident.ts'
import { type Page, type PageSettlement, pageTarget } from '../../domain/oncall.ts'
import { openAttemptLog } from '../deliveries/attempt-log.ts'
import { PAGER_CODE, PROVIDER_KNOWS, signalName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { PayloadSlice, Payloads } from '../journal/payloads.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Escalations } from './escalations.ts'
import type { OncallRow } from './rows.ts'

/** A larger payload is left out of the page; the dashboard shows it. */
const MAX_CONTENT_BYTES = 65_536

interface DueRow extends OncallRow, PayloadSlice {
  readonly id: string
  readonly created_at: number
  readonly source: Source
  readonly sender: Sender
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  readonly acked_by: string | null
  readonly overrides: string | null
}

interface ClaimDeps {
  readonly advance: Escalations['advance']
  readonly payloads: Pick<Payloads, 'of'>
  readonly provider: string
}

/** Opens the lease of signals that are due, in order of time. Inside `write`. */
export function openClaimPages({ db, counts, now }: StoreContext, { advance, payloads, provider }: ClaimDeps) {
  const due = query<DueRow>(
    db,
    `SELECT o.*, i.id, i.created_at, i.source, i.sender, i.title, i.service, i.severity, i.status, i.acked_by, i.seq, i.content_start,
       i.content_bytes, p.overrides
     FROM oncall o CROSS JOIN incidents i ON i.seq = o.incident LEFT JOIN particulars p ON p.seq = o.incident
     WHERE o.signal IS NOT NULL AND o.under_way = 0 AND o.next_at <= ? ORDER BY o.next_at, o.incident LIMIT ?`,
  )
  return function claimPages(slots: number): Page[] {
    if (slots < 1 || counts.pager.dueAt > now()) return []
    const rows = due.all(now(), slots)
    advance(rows, { kind: 'claimed' })
    return rows.map((row) => ({
      ...pageOf(row, { provider, dispatchedAt: now() }),
      ...(row.content_bytes <= MAX_CONTENT_BYTES && { content: payloads.of(row).slice() }),
    }))
  }
}

function pageOf(row: DueRow, { provider, dispatchedAt }: { provider: string; dispatchedAt: number }): Page {
  const { incident, id, source, sender, title, service, severity, status, fingerprint } = row
  const overrides: Overrides | undefined = row.overrides === null ? undefined : JSON.parse(row.overrides)
  const target = pageTarget(overrides, provider)
  return {
    incident,
    id,
    source,
    sender,
    title,
    service,
    severity,
    status,
    fingerprint,
    createdAt: row.created_at,
    signal: signalName(row.signal ?? 0),
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
export function openSettlePage({ db }: StoreContext, { rows, advance }: Escalations) {
  const record = openAttemptLog(db)
  const made = query<{ attempts: number }>(
    db,
    `SELECT count(*) AS attempts FROM attempts WHERE incident = ? AND channel = ${PAGER_CODE}`,
  )
  return function settlePage({ incident, verdict, attempt }: PageSettlement): OncallChange | undefined {
    const row = rows.find(incident)
    if (row?.under_way !== 1) return undefined
    if (attempt !== undefined)
      record({ incident, channel: PAGER_CODE, number: (made.get(incident)?.attempts ?? 0) + 1 }, attempt)
    const attempted = attempt !== undefined
    const mayDuplicate = attempt?.mayDuplicate ?? false
    return advance([row], { kind: 'settled', verdict, attempted, mayDuplicate })[0]
  }
}
