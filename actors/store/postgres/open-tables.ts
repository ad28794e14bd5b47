import { setTimeout as pause } from 'node:timers/promises'
import { CodedError } from '../../../src/domain/errors.ts'
import { lastCommitted, openTableReader } from '../../../src/journal/postgres/reader.ts'
import type { PostgresSettings } from '../../../src/postgres/settings.ts'
import { openSyncPostgres, type SyncPostgres } from '../../../src/postgres/sync.ts'
import { Fenced } from '../../../src/store/engine/sql.ts'
import { openPostgresStore } from '../../../src/store/postgres/engine.ts'
import { openStore } from '../../../src/store/store.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'

interface TableOptions {
  /** Of the leader's lease. */
  readonly term: number
  /** Called with the error of a transaction that is tried again. */
  repeated(error: unknown): void
  /** Called once when the server does not answer. */
  failed(error: CodedError): void
}

const RETRY_MS = 100
/** Less than a thread has for its start. */
const MAX_TRIES_MS = 60_000

/**
 * Opens the store and the journal in PostgreSQL. Waits up to a minute for a server that is down, because a thread that
 * does not start is started again later and later. Throws as `openStore`.
 */
export async function openTables(
  options: StoreOptions,
  settings: PostgresSettings,
  tables: TableOptions,
): Promise<ReturnType<typeof open>> {
  const end = performance.now() + MAX_TRIES_MS
  for (let tries = 0; ; tries++)
    try {
      return open(options, settings, tables)
    } catch (error) {
      const isDown = error instanceof CodedError && error.code === 'storage_down' && !(error instanceof Fenced)
      if (!isDown || performance.now() > end) throw error
      if (tries === 0) tables.failed(error)
      await pause(RETRY_MS)
    }
}

function open(options: StoreOptions, settings: PostgresSettings, { term, repeated }: TableOptions) {
  const applicationName = `tocsin store ${settings.schema}`.slice(0, LONGEST_NAME)
  const connection = openSyncPostgres(settings, { applicationName, repeated })
  try {
    endOthers(connection, applicationName, term)
    const store = openStore(options, openPostgresStore(connection, { term, ended: endThread }))
    return { store, reader: openTableReader(connection), lastCommitted: () => lastCommitted(connection) }
  } catch (error) {
    connection.close()
    throw error
  }
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
