import type { Draft } from '../../domain/incident.ts'
import type { Decision } from '../../policy/decision.ts'
import { CHANNEL_CODE, NOTIFY, ONCALL_OPEN } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, withoutNul } from '../engine/statement.ts'

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
  /** When it pages; undefined: it does not, or another incident pages for it. */
  readonly page: Decision['page']
  /** Its timer waits for the end of a silence. */
  readonly holdsPage: boolean
  /** A silence keeps it from every destination, for good. */
  readonly isSilenced: boolean
  /** Number of the decision on disk; null: no rule matched. */
  readonly decisionNumber: number | null
}

/** Opens the inserts of incidents and their request options. Inside `write`. */
export function openInsert({ db, counts }: StoreContext) {
  const incident = command(
    db,
    `INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint,
       oncall_open, content_start, content_bytes, channels_enabled, notify_status, decision, changed_at, members, previous, problem)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const requestOptions = command(db, 'INSERT INTO particulars (seq, overrides, origin) VALUES (?, ?, ?)')
  return {
    incident({
      draft: d,
      incident: seq,
      problem,
      previous,
      contentStart,
      committedAt,
      decision,
      decisionNumber,
      page,
      holdsPage,
      isSilenced,
    }: NewIncident): void {
      const status = isSilenced ? NOTIFY.silenced : initialStatus(decision)
      const isOpen = page !== undefined || holdsPage
      incident.run(
        seq,
        d.id,
        d.createdAt,
        committedAt,
        d.source,
        d.sender,
        withoutNul(d.title),
        withoutNul(d.service),
        withoutNul(d.severity),
        d.status,
        withoutNul(d.fingerprint),
        isOpen ? ONCALL_OPEN.signal : ONCALL_OPEN.no,
        contentStart,
        d.content.length,
        enabledMask(decision),
        status,
        decisionNumber,
        d.changedAt ?? null,
        d.members === undefined ? null : JSON.stringify(d.members),
        previous,
        problem,
      )
      counts.incidents++
      if (status !== NOTIFY.pending && !isOpen) counts.finished++
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
