import type { TableJournal } from '../../../src/journal/postgres/journal.ts'
import { KEY_TTL_MS, NOW_MS } from '../../../src/journal/postgres/schema.ts'
import type { Progress } from '../../../src/journal/progress.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { WatchConnection } from './watch-connection.ts'

interface UpkeepDeps {
  readonly journal: Pick<TableJournal, 'released' | 'observeSize'>
  readonly progress: Pick<Progress, 'applied'>
  readonly clock: Pick<Clock, 'elapsed'>
  /** Rows are kept for at least this time: an append whose connection was lost looks for its own. */
  readonly keepMs: number
}

export type Upkeep = ReturnType<typeof createUpkeep>

const DELETE_ROWS = 500
const KEYS_EVERY_MS = 60_000
const SIZE_EVERY_MS = 10_000

/**
 * Begins behind the last deleted row: entries of deleted rows stay in the index until a vacuum. Ends at what the store has
 * applied in this database: memory is ahead of a standby that was promoted.
 */
const deleteReleased = (keepMs: number) => `
DELETE FROM journal WHERE last IN (
  SELECT last FROM journal WHERE last > $1 AND last <= least($2, (SELECT up_to FROM applied)) AND committed_at < ${NOW_MS} - ${keepMs} ORDER BY last LIMIT ${DELETE_ROWS}
) RETURNING last`
const DELETE_KEYS = `
DELETE FROM journal_keys WHERE key IN (
  SELECT key FROM journal_keys WHERE used_at <= ${NOW_MS} - ${KEY_TTL_MS} ORDER BY used_at LIMIT ${DELETE_ROWS}
)`
const SIZE = `
SELECT pg_total_relation_size('journal'), coalesce(sum(octet_length(frames)), 0)::bigint, count(*)
FROM journal WHERE last > $1`

/** Deletes released rows and expired keys in small steps; reads how large the journal is. */
export function createUpkeep({ journal, progress, clock, keepMs }: UpkeepDeps) {
  const statement = deleteReleased(keepMs)
  let deletedUpTo = 0
  let keysAt = clock.elapsed()
  let sizeAt = clock.elapsed()

  return {
    /** Does what is due. The leader deletes. Returns whether there is more to delete. */
    async run(connection: WatchConnection, leads: boolean): Promise<boolean> {
      const now = clock.elapsed()
      let hasMore = false
      if (leads && journal.released > deletedUpTo) {
        const { rows } = await connection.query(statement, [deletedUpTo, journal.released])
        hasMore = rows.length === DELETE_ROWS
        deletedUpTo = rows.reduce((highest, [last]) => Math.max(highest, last as number), deletedUpTo)
      }
      if (leads && now >= keysAt) {
        keysAt = now + KEYS_EVERY_MS
        await connection.query(DELETE_KEYS)
      }
      if (now >= sizeAt) {
        sizeAt = now + SIZE_EVERY_MS
        const [row] = (await connection.query(SIZE, [progress.applied])).rows
        const [bytes, usedBytes, segments] = row as [number, number, number]
        journal.observeSize({ bytes, usedBytes, segments })
      }
      return hasMore
    },
  }
}
