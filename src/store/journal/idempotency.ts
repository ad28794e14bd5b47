import type { Sql } from '../engine/sql.ts'
import { command, query } from '../engine/statement.ts'

export const KEY_TTL_MS = 24 * 3_600_000
/** Keys of one moment among which one is looked for. */
const MAX_COMPARED = 10_000

/**
 * Idempotency keys of the last 24 h, each with the first incident of the submission that used it. Changes inside
 * `write`.
 */
export type IdempotencyKeys = ReturnType<typeof openIdempotencyKeys>

export function openIdempotencyKeys(db: Sql) {
  const find = query<{ incident_id: string }>(
    db,
    'SELECT incident_id FROM idempotency WHERE key = ? AND created_at > ?',
  )
  // A key that is used again is the youngest one.
  const forget = command(db, 'DELETE FROM idempotency WHERE key = ? AND created_at <= ?')
  const save = command(
    db,
    'INSERT INTO idempotency (key, incident_id, created_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING',
  )
  const edge = (which: 'min' | 'max') =>
    query<{ age: number | null }>(db, `SELECT ${which}(age) AS age FROM idempotency`)
  const [oldest, newest] = [edge('min'), edge('max')]
  const from = query<{ age: number; created_at: number }>(
    db,
    'SELECT age, created_at FROM idempotency WHERE age >= ? ORDER BY age LIMIT 1',
  )
  const among = query<{ key: string }>(
    db,
    `SELECT key FROM idempotency WHERE age >= ?1 AND age < ?1 + ${MAX_COMPARED} AND incident_id = ?2`,
  )

  /** Returns the age of the first key that was used at a time or later. */
  function firstSince(at: number): number {
    let [low, high] = [oldest.get()?.age ?? 0, (newest.get()?.age ?? 0) + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = from.get(middle)
      if (row === undefined || row.created_at >= at) high = middle
      else low = row.age + 1
    }
    return low
  }

  return {
    /**
     * Returns the key that leads to an incident. Keys are stored in the order of the commits, so a binary search finds those
     * of its time; one that the clock put elsewhere is not found.
     */
    keyOf: (incidentId: string, committedAt: number): string | undefined =>
      among.get(firstSince(committedAt), incidentId)?.key,
    /** Returns the id of the first incident; undefined when the key was not used within 24 h. */
    find: (key: string, now: number): string | undefined => find.get(key, now - KEY_TTL_MS)?.incident_id,
    /** Leaves a key that was used again later as it is: an incident from quarantine comes late. */
    save(key: string, incidentId: string, usedAt: number): void {
      forget.run(key, usedAt)
      save.run(key, incidentId, usedAt)
    },
  }
}
