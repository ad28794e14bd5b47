import type { Overrides, Sender, Source, Status } from '../../domain/incident.ts'
import { type Page, pageTarget, type Told } from '../../domain/oncall.ts'
import type { OncallChange } from '../contract.ts'
import { openLedger } from '../deliveries/attempt-log.ts'
import { HEARD, PAGER_CODE, signalName } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { query } from '../engine/statement.ts'
import type { ContentPlace, Contents } from '../journal/payloads.ts'
import type { Escalations } from './escalations.ts'
import type { OncallRow } from './rows.ts'

/** A larger payload stays out of the page: the pager is to ring, the dashboard shows the rest. */
const MAX_CONTENT_BYTES = 65_536

interface DueRow extends OncallRow, ContentPlace {
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

/** Hands out what the provider is to be told by now, in order of time. */
interface TakeParts {
  readonly apply: Escalations['apply']
  readonly contents: Pick<Contents, 'of'>
  readonly provider: string
}

export function openTakePages({ db, tally, now }: Tools, { apply, contents, provider }: TakeParts) {
  const due = query<DueRow>(
    db,
    `SELECT o.*, i.id, i.created_at, i.source, i.sender, i.title, i.service, i.severity, i.status, i.acked_by, i.seq, i.content_start,
       i.content_bytes, p.overrides
     FROM oncall o CROSS JOIN incidents i ON i.seq = o.incident LEFT JOIN particulars p ON p.seq = o.incident
     WHERE o.signal IS NOT NULL AND o.under_way = 0 AND o.next_at <= ? ORDER BY o.next_at, o.incident LIMIT ?`,
  )
  return function takePages(places: number): Page[] {
    if (places < 1 || tally.pager.dueAt > now()) return []
    const rows = due.all(now(), places)
    apply(rows, { kind: 'handed out' })
    return rows.map((row) => ({
      ...pageOf(row, { provider, handedOutAt: now() }),
      ...(row.content_bytes <= MAX_CONTENT_BYTES && { content: contents.of(row).slice() }),
    }))
  }
}

function pageOf(row: DueRow, { provider, handedOutAt }: { provider: string; handedOutAt: number }): Page {
  const { incident, id, source, sender, title, service, severity, status, fingerprint } = row
  const overrides: Overrides | undefined = row.overrides === null ? undefined : JSON.parse(row.overrides)
  const target = pageTarget(overrides, provider)
  return {
    ...{ incident, id, source, sender, title, service, severity, status, fingerprint },
    createdAt: row.created_at,
    signal: signalName(row.signal ?? 0),
    dueAt: row.due_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.heard === HEARD.maybe,
    handedOutAt,
    ...(target === undefined ? {} : { target }),
    ...(row.acked_by === null ? {} : { by: row.acked_by }),
  }
}

/** Records how pages ended; undefined: it is not handed out. */
export function openSettlePage({ db }: Tools, { rows, apply }: Escalations) {
  const record = openLedger(db)
  const made = query<{ attempts: number }>(
    db,
    `SELECT count(*) AS attempts FROM attempts WHERE incident = ? AND channel = ${PAGER_CODE}`,
  )
  return function settlePage({ incident, verdict, attempt }: Told): OncallChange | undefined {
    const row = rows.find(incident)
    if (row?.under_way !== 1) return undefined
    if (attempt !== undefined)
      record({ incident, channel: PAGER_CODE, number: (made.get(incident)?.attempts ?? 0) + 1 }, attempt)
    const attempted = attempt !== undefined
    const mayDuplicate = attempt?.mayDuplicate ?? false
    return apply([row], { kind: 'told', verdict, attempted, mayDuplicate })[0]
  }
}
