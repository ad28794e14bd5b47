import type { DatabaseSync } from 'node:sqlite'
import { command, query } from '../engine/statement.ts'

const KEPT_MS = 24 * 3_600_000

/** Which submission used an Idempotency-Key first. */
export interface Keys {
  /** The first incident of the submission that used the key within the last 24 h. */
  find(key: string, now: number): string | undefined
  remember(key: string, incidentId: string, now: number): void
  /** Deletes expired ones among the `maxRows` oldest. */
  prune(maxRows: number, now: number): number
}

export function openKeys(db: DatabaseSync): Keys {
  const find = query<{ incident_id: string }>(
    db,
    'SELECT incident_id FROM idempotency WHERE key = ? AND created_at > ?',
  )
  const remember = command(db, 'INSERT OR REPLACE INTO idempotency (key, incident_id, created_at) VALUES (?, ?, ?)')
  const prune = command(
    db,
    'DELETE FROM idempotency WHERE age IN (SELECT age FROM idempotency ORDER BY age LIMIT ?) AND created_at <= ?',
  )
  return {
    find: (key, now) => find.get(key, now - KEPT_MS)?.incident_id,
    remember: (key, incidentId, now) => void remember.run(key, incidentId, now),
    prune: (maxRows, now) => prune.run(maxRows, now - KEPT_MS).changes,
  }
}
