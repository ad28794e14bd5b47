import type { JournalReader } from '../../src/journal/contract.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { journalDirectory } from '../../src/journal/scan.ts'
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
  const connection = openSyncPostgres(settings, { applicationName: 'tocsin store' })
  const store = openStore(options, openPostgresStore(connection, { term, ended: endThread }))
  return { store, reader: openTableReader(connection), lastCommitted: () => lastCommitted(connection) }
}

/** Ends this thread, which is then started again and opens the store anew, as long as this replica leads. */
function endThread(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
