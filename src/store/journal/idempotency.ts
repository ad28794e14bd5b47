import type { DatabaseSync } from 'node:sqlite'
import { command, query } from '../engine/statement.ts'

const KEY_TTL_MS = 24 * 3_600_000

/**
 * Idempotency keys of the last 24 h, each with the first incident of the submission that used it. Changes inside
 * `write`.
 */
export interface IdempotencyKeys {
  /** Returns the id of the first incident; undefined when the key was not used within 24 h. */
  find(key: string, now: number): string | undefined
  /** Leaves a key that was used again later as it is: an incident from quarantine comes late. */
  save(key: string, incidentId: string, usedAt: number): void
  /** Deletes expired keys among the `maxRows` oldest; returns their number. */
  prune(maxRows: number, now: number): number
}

export function openIdempotencyKeys(db: DatabaseSync): IdempotencyKeys {
  const find = query<{ incident_id: string }>(
    db,
    'SELECT incident_id FROM idempotency WHERE key = ? AND created_at > ?',
  )
  const save = command(
    db,
    `INSERT OR REPLACE INTO idempotency (key, incident_id, created_at)
     SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM idempotency WHERE key = ?1 AND created_at > ?3)`,
  )
  const prune = command(
    db,
    'DELETE FROM idempotency WHERE age IN (SELECT age FROM idempotency ORDER BY age LIMIT ?) AND created_at <= ?',
  )
  return {
    find: (key, now) => find.get(key, now - KEY_TTL_MS)?.incident_id,
    save: (key, incidentId, usedAt) => void save.run(key, incidentId, usedAt),
    prune: (maxRows, now) => prune.run(maxRows, now - KEY_TTL_MS).changes,
  }
}
