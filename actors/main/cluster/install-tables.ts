import { CLUSTER_TABLES } from '../../../src/cluster/tables.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import { SHARED_FILES } from '../../../src/postgres/shared-files.ts'
import { openSyncPostgres } from '../../../src/postgres/sync.ts'
import { installSchema, STORE_PART } from '../../../src/store/postgres/schema.ts'
import type { PostgresSettings } from '../../wiring/settings.ts'

/** For a change of a large table, and for the lock that another replica holds meanwhile. */
const STATEMENT_MS = 600_000
const PARTS = [CLUSTER_TABLES, { name: 'journal', migrations: JOURNAL_MIGRATIONS }, STORE_PART, SHARED_FILES]

/**
 * Creates the tables, or brings them to this program's version. Blocks until that is done; threads rely on it. Throws
 * storage_down when the database cannot be reached, may not be used, or was changed by a newer program.
 */
export function installTables(settings: PostgresSettings): void {
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin start' })
  try {
    connection.patient(STATEMENT_MS, () => installSchema(connection, settings.schema, PARTS))
  } finally {
    connection.close()
  }
}
