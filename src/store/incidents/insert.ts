import type { Draft } from '../../domain/incident.ts'
import type { Decision } from '../../policy/decision.ts'
import { CHANNEL_CODE, NOTIFY, PHASE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { withoutNul } from '../engine/statement.ts'
import type { PageOfIncident } from '../pages/pages.ts'

/** An incident as it is inserted. */
export interface NewIncident {
  readonly draft: Draft
  readonly incident: number
  /** Number of its problem. */
  readonly problem: number
  /** The one before it of the same problem; null: there is none. */
  readonly previous: number | null
  /** Start of its payload within the payloads of its batch. */
  readonly contentStart: number
  readonly committedAt: number
  readonly decision: Decision
  /** Undefined: it does not page. */
  readonly page: PageOfIncident | undefined
  /** A silence keeps it from every destination, for good. */
  readonly isSilenced: boolean
  /** Number of the decision on disk; null: no rule matched. */
  readonly decisionNumber: number | null
}

const COLUMNS = [
  ...['seq', 'id', 'created_at', 'committed_at', 'source', 'sender', 'title', 'service', 'severity', 'status'],
  ...['fingerprint', 'content_start', 'content_bytes', 'channels_enabled', 'notify_status', 'decision', 'changed_at'],
  ...['members', 'previous', 'problem'],
]

/** Opens the inserts of incidents and their request options. Inside `write`. */
export function openInsert({ db, counts }: StoreContext) {
  const prepare = (columns: readonly string[]) =>
    db.command(`INSERT INTO incidents (${columns}) VALUES (${columns.map(() => '?')})`)
  const quiet = prepare(COLUMNS)
  const paging = prepare([...COLUMNS, 'page', 'page_due_at', 'oncall_open'])
  const requestOptions = db.command('INSERT INTO particulars (seq, overrides, origin) VALUES (?, ?, ?)')
  return {
    incident({ draft: d, incident: seq, committedAt, decision, page, isSilenced, ...of }: NewIncident): void {
      const status = isSilenced ? NOTIFY.silenced : initialStatus(decision)
      const waits = page !== undefined && page.phase !== 'joined'
      const pageColumns = page === undefined ? [] : [PHASE[page.phase], page.dueAt, waits ? 1 : 0]
      const insert = page === undefined ? quiet : paging
      insert.run(
        ...[seq, d.id, d.createdAt, committedAt, d.source, d.sender, withoutNul(d.title), withoutNul(d.service)],
        ...[withoutNul(d.severity), d.status, withoutNul(d.fingerprint), of.contentStart, d.content.length],
        ...[enabledMask(decision), status, of.decisionNumber, d.changedAt ?? null],
        ...[d.members === undefined ? null : JSON.stringify(d.members), of.previous, of.problem, ...pageColumns],
      )
      counts.incidents++
      if (status !== NOTIFY.pending && !waits) counts.finished++
    },
    /** Stores the JSON of overrides and origin; most incidents have neither. */
    particulars(seq: number, [overrides = null, origin = null]: readonly (string | null)[]): void {
      if (overrides !== null || origin !== null) requestOptions.run(seq, overrides, origin)
    },
  }
}

function initialStatus({ destinations, rules }: Decision): number {
  if (destinations.length > 0) return NOTIFY.pending
  return rules.length > 0 ? NOTIFY.nobody : NOTIFY.sent
}

function enabledMask({ destinations }: Decision): number {
  let mask = 0
  for (const { channel } of destinations) mask |= 1 << CHANNEL_CODE[channel]
  return mask
}
