import type { DatabaseSync } from 'node:sqlite'

/** One incident on the ledger of a destination. */
export interface Told {
  readonly incident: number
  readonly severity: string
  /** From its commit to the provider's answer; undefined: nobody was told. */
  readonly afterMs: number | undefined
}

/**
 * Returns when each incident was told, by its own message or by the revision of a digest. The database must have one
 * destination.
 * @param after epoch milliseconds: an earlier commit counts from there
 */
export function toldTimes(db: DatabaseSync, after = 0): Told[] {
  const rows = db.prepare(TOLD).all() as {
    incident: number
    severity: string
    committedAt: number
    toldAt: number | null
  }[]
  return rows.map(({ incident, severity, committedAt, toldAt }) => ({
    incident,
    severity,
    afterMs: toldAt === null ? undefined : toldAt - Math.max(committedAt, after),
  }))
}

const TOLD = `
SELECT i.seq AS incident, i.severity, i.committed_at AS committedAt, iif(d.bundle IS NULL,
    (SELECT min(a.started_at + a.duration_ms) FROM attempts a
     WHERE a.incident = d.incident AND a.channel = d.destination AND a.outcome = 'sent'),
    (SELECT min(r.told_at) FROM revisions r WHERE r.bundle = d.bundle AND r.through >= d.place)) AS toldAt
FROM incidents i LEFT JOIN dispatches d ON d.incident = i.seq AND d.kind = 0
ORDER BY i.seq`
