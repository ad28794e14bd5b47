import type { Statements } from '../engine/statement.ts'

export const KEY_TTL_MS = 24 * 3_600_000
/** Keys of one moment among which one is looked for. */
const MAX_COMPARED = 10_000

/**
 * Idempotency keys of the last 24 h, each with the first incident of the submission that used it. Changes inside
 * `write`.
 */
export function openIdempotencyKeys(db: Statements) {
  const find = db.query<{ incident_id: string }>('SELECT incident_id FROM idempotency WHERE key = ? AND created_at > ?')
  // A key that is used again is the youngest one.
  const forget = db.command('DELETE FROM idempotency WHERE key = ? AND created_at <= ?')
  const save = db.command(
    'INSERT INTO idempotency (key, incident_id, created_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING',
  )
  const edge = (which: 'min' | 'max') =>
    db.query<{ age: number | null }>(`SELECT ${which}(age) AS age FROM idempotency`)
  const [oldest, newest] = [edge('min'), edge('max')]
  const from = db.query<{ age: number; created_at: number }>(
    'SELECT age, created_at FROM idempotency WHERE age >= ? ORDER BY age LIMIT 1',
  )
  const among = db.query<{ key: string }>(
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
