import type { Draft, Payload } from '../../domain/incident.ts'
import type { StoreContext } from '../engine/context.ts'
import { withoutNul } from '../engine/statement.ts'
import type { Problems } from '../problems/problems.ts'

const PAGE = 500

export type Alerts = ReturnType<typeof openAlerts>
/** Some of the alerts that fire. */
export type AlertPage = ReturnType<Alerts['page']>
export type StoredAlert = AlertPage['alerts'][number]

/**
 * The alerts that fire at the door of Alertmanager's API. Written and deleted with the incident of the change: retention
 * deletes incidents while their problem fires.
 */
export function openAlerts({ db }: Pick<StoreContext, 'db'>, problems: Pick<Problems, 'prefetch' | 'find'>) {
  // What leaves the quarantine is older than what is there.
  const save = db.command(`INSERT INTO alerts (fingerprint, incident, valid_ms, alert) VALUES (?, ?, ?, ?)
     ON CONFLICT (fingerprint) DO UPDATE SET incident = excluded.incident, valid_ms = excluded.valid_ms, alert = excluded.alert
     WHERE excluded.incident > alerts.incident`)
  const remove = db.command('DELETE FROM alerts WHERE fingerprint = ? AND incident < ?')
  const page = db.query<{ fingerprint: string; valid_ms: number; alert: string }>(
    `SELECT fingerprint, valid_ms, alert FROM alerts WHERE fingerprint > ? ORDER BY fingerprint LIMIT ${PAGE}`,
  )
  return {
    /** An incident of the door is applied. Inside `write`. */
    applied({ fingerprint, status, content }: Draft, incident: number, committedAt: number): void {
      if (status === 'resolved') return remove.run(withoutNul(fingerprint), incident)
      // The door wrote it.
      const payload = JSON.parse(Buffer.from(content).toString())
      const validMs = Number(payload.valid_ms) || 0
      const alert = { ...payload.alerts?.[0], endsAt: new Date(committedAt + validMs).toISOString() }
      save.run(withoutNul(fingerprint), incident, validMs, JSON.stringify(alert))
    },
    /** @param after last fingerprint of the page before, '' for the first one */
    page(after: string) {
      const rows = page.all(after)
      // Their states on disk are up to 200 ms old.
      problems.prefetch(rows.map(({ fingerprint }) => fingerprint))
      return {
        alerts: rows.map(({ fingerprint, valid_ms: validMs, alert }) => ({
          /** As it was posted; `endsAt`: until when its sender's claim was valid. */
          alert: JSON.parse(alert) as Payload,
          /** How long a claim is valid, milliseconds. */
          validMs,
          /** A person resolved its problem. */
          isResolved: problems.find(fingerprint)?.endedBy === 'person',
        })),
        /** Undefined: it is the last one. */
        next: rows.length < PAGE ? undefined : rows.at(-1)?.fingerprint,
      }
    },
  }
}
