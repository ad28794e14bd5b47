import { CLUSTER_TABLES } from '../../../src/cluster/tables.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import { repeatCause } from '../../../src/postgres/errors.ts'
import type { PostgresSettings } from '../../../src/postgres/settings.ts'
import { SHARED_FILES } from '../../../src/postgres/shared-files.ts'
import { openSyncPostgres } from '../../../src/postgres/sync.ts'
import { installSchema, STORE_PART } from '../../../src/store/postgres/schema.ts'

/** For a change of a large table, and for the lock that another replica holds meanwhile. */
const STATEMENT_MS = 600_000
/** While a table is to be changed and somebody else reads it, all others wait too; between two tries they go on. */
const PAUSE_MS = 1_000
const TRIES_MS = 240_000
const PARTS = [CLUSTER_TABLES, { name: 'journal', migrations: JOURNAL_MIGRATIONS }, STORE_PART, SHARED_FILES]

/**
 * Creates the tables, or brings them to this program's version. Blocks until that is done; threads rely on it. Throws
 * storage_down when the database cannot be reached, may not be used, or was changed by a newer program.
 */
export function installTables(settings: PostgresSettings): void {
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin start' })
  const end = performance.now() + TRIES_MS
  const install = () => connection.patient(STATEMENT_MS, () => installSchema(connection, settings.schema, PARTS))
  try {
    while (!wasFree(install, end)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  } finally {
    connection.close()
  }
}

/** Returns false when a lock was held for too long by others. */
function wasFree(work: () => void, end: number): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (repeatCause(error) !== 'lock_timeout' || performance.now() > end) throw error
    return false
  }
}
