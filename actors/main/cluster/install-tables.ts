import { CLUSTER_TABLES } from '../../../src/cluster/tables.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import { openSyncPostgres } from '../../../src/postgres/sync.ts'
import type { PostgresSettings } from '../../wiring/settings.ts'

const PARTS = [
  { table: 'leases', migrations: CLUSTER_TABLES.migrations },
  { table: 'journal_head', migrations: JOURNAL_MIGRATIONS },
]

/** Creates the tables. Blocks until that is done. Throws storage_down when the database cannot be reached. */
export function installTables(settings: PostgresSettings): void {
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin start' })
  try {
    connection.begin()
    connection.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tocsin ${settings.schema}`])
    connection.exec(`CREATE SCHEMA IF NOT EXISTS "${settings.schema}"`)
    for (const { table, migrations } of PARTS)
      if (connection.query('SELECT to_regclass($1)::text', [table]).rows[0]?.[0] === null)
        for (const migration of migrations) connection.exec(migration)
    connection.commit()
  } finally {
    connection.close()
  }
}
