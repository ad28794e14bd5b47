import type { JournalReader } from '../../src/journal/contract.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { journalDirectory } from '../../src/journal/scan.ts'
import type { SyncPostgres } from '../../src/postgres/sync.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'
import type { PostgresSettings, StoreBoot, ThreadDeps } from '../wiring/settings.ts'
import { storeOptions } from '../wiring/store-options.ts'

interface Opened {
  readonly store: Store
  readonly reader: JournalReader
  /** Returns the number of the last committed incident; absent: the journal thread of this process knows it. */
  readonly lastCommitted?: () => number
}

/** Opens the database and the journal's reader, on files or in PostgreSQL. Throws as `openStore`. */
export async function openStorage(boot: StoreBoot, { clock, lease }: ThreadDeps): Promise<Opened> {
  const options = await storeOptions(boot, clock)
  if (boot.storage.type === 'postgres') return openTables(options, boot.storage.postgres, lease.term)
  return { store: openStore(options), reader: openJournalReader(journalDirectory(boot.storage.dataDir)) }
}

async function openTables(options: StoreOptions, settings: PostgresSettings, term: number): Promise<Opened> {
  const [{ openSyncPostgres }, { openPostgresStore }, { openTableReader, lastCommitted }] = await Promise.all([
    import('../../src/postgres/sync.ts'),
    import('../../src/store/postgres/engine.ts'),
    import('../../src/journal/postgres/reader.ts'),
  ])
  const applicationName = `tocsin store ${settings.schema}`.slice(0, LONGEST_NAME)
  const connection = openSyncPostgres(settings, { applicationName })
  endOthers(connection, applicationName, term)
  const store = openStore(options, openPostgresStore(connection, { term, ended: endThread }))
  return { store, reader: openTableReader(connection), lastCommitted: () => lastCommitted(connection) }
}

/** Of an application, in PostgreSQL. */
const LONGEST_NAME = 63
const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND application_name = $1 AND pid <> pg_backend_pid()
  AND EXISTS (SELECT 1 FROM leases WHERE name = 'leader' AND fence = $2)`

/**
 * Ends the sessions of former leaders. One that was stopped or cut off inside a transaction would hold its locks until
 * the server's timeout; a failure only means to wait for that.
 */
function endOthers(connection: SyncPostgres, applicationName: string, term: number): void {
  try {
    connection.query(END_OTHERS, [applicationName, term])
  } catch {}
}

/** Ends this thread, which is then started again and opens the store anew, as long as this replica leads. */
function endThread(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
