import type { Draft } from '../../domain/commit.ts'
import { maskOf, NOTIFY } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, withoutNul } from '../engine/statement.ts'

/** An incident as it is inserted. */
export interface NewIncident {
  readonly draft: Draft
  readonly incident: number
  /** Start of its payload within the payloads of its batch. */
  readonly contentStart: number
  readonly committedAt: number
  readonly targets: { readonly [channel: string]: string } | undefined
  /** Time until the incident pages; undefined: it does not page. */
  readonly waitMs: number | undefined
}

/** Opens the inserts of incidents and their request options. Inside `write`. */
export function openInsert({ db, counts, channels }: StoreContext) {
  const enabled = maskOf(channels)
  const initialStatus = channels.length === 0 ? NOTIFY.sent : NOTIFY.pending
  const incident = command(
    db,
    `INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint,
       oncall_open, content_start, content_bytes, channels_enabled, notify_status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${enabled}, ${initialStatus})`,
  )
  const requestOptions = command(db, 'INSERT INTO particulars (seq, overrides, origin) VALUES (?, ?, ?)')
  return {
    incident({ draft: d, incident: seq, contentStart, committedAt, waitMs }: NewIncident): void {
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
        waitMs === undefined ? 0 : 1,
        contentStart,
        d.content.length,
      )
      counts.incidents++
      if (initialStatus !== NOTIFY.pending && waitMs === undefined) counts.finished++
    },
    /** Stores the JSON of overrides and origin; most incidents have neither. */
    particulars(seq: number, [overrides = null, origin = null]: readonly (string | null)[]): void {
      if (overrides !== null || origin !== null) requestOptions.run(seq, overrides, origin)
    },
  }
}
