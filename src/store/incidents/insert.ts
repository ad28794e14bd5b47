import type { Draft } from '../../domain/commit.ts'
import { CHANNEL_CODE, maskOf, NOTIFY } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, type Parameter, withoutNul } from '../engine/statement.ts'

/** An incident that is being filed. */
export interface NewIncident {
  readonly draft: Draft
  readonly incident: number
  /** Where its payload begins among those that were committed together. */
  readonly contentStart: number
  readonly committedAt: number
  readonly targets: { readonly [channel: string]: string } | undefined
  /** Until the incident pages somebody; undefined: it does not. */
  readonly waitMs: number | undefined
}

/** Writes the rows of incidents. */
export function openInsert({ db, counts, channels }: StoreContext) {
  const enabled = maskOf(channels)
  const initialStatus = channels.length === 0 ? NOTIFY.sent : NOTIFY.pending
  // The same id again is a message that was repeated after its commit: it is stored, and its deliveries are on their way.
  const incident = command(
    db,
    `INSERT INTO incidents (seq, id, created_at, committed_at, source, sender, title, service, severity, status, fingerprint,
       oncall_open, content_start, content_bytes, channels_enabled, notify_status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${enabled}, ${initialStatus})
     ON CONFLICT (id) DO NOTHING`,
  )
  const requestOptions = command(db, 'INSERT INTO particulars (seq, overrides, origin) VALUES (?, ?, ?)')
  const rows = channels.map((name, n) => `(?1, ${CHANNEL_CODE[name]}, ?2, ?${3 + 2 * n}, ?${4 + 2 * n})`)
  const deliveries =
    rows.length === 0
      ? undefined
      : command(
          db,
          `INSERT INTO deliveries (incident, channel, next_attempt_at, state, target) VALUES ${rows.join(', ')}`,
        )
  return {
    /** False: the id is stored already. */
    incident({ draft: d, incident: seq, contentStart, committedAt, waitMs }: NewIncident): boolean {
      const { changes } = incident.run(
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
      if (changes === 0) return false
      counts.incidents++
      if (initialStatus !== NOTIFY.pending && waitMs === undefined) counts.finished++
      return true
    },
    /** JSON of what was asked for beside the payload, and of where it came from; most have neither. */
    particulars(seq: number, [overrides = null, origin = null]: readonly (string | null)[]): void {
      if (overrides !== null || origin !== null) requestOptions.run(seq, overrides, origin)
    },
    /** `placed`: state and target of each enabled channel in turn. */
    deliveries({ incident: seq, committedAt }: NewIncident, deliveryColumns: readonly Parameter[]): void {
      deliveries?.run(seq, committedAt, ...deliveryColumns)
    },
  }
}
