import type { TestContext } from 'node:test'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { openPostgresStore } from '../../../src/store/postgres/engine.ts'
import { installSchema, STORE_PART } from '../../../src/store/postgres/schema.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import type { PostgresServer } from '../../harness/postgres.ts'
import { START } from '../../store/support.ts'
import { opened, sharedServer } from '../settings.ts'

/** A database that holds the tables of the store; undefined: there is no server, and the test is left out. */
export async function given(t: TestContext, serverOf: typeof sharedServer = sharedServer) {
  const server = await serverOf(t)
  return server && withTables(t, server)
}

async function withTables(t: TestContext, server: PostgresServer) {
  const url = await server.database()
  const connect = () => opened(t, url)
  const connection = connect()
  installSchema(connection, 'public', [STORE_PART])
  return { server, connection, connect, open: (over: SyncPostgres = connect()) => open(over) }
}

function open(connection: SyncPostgres): Store {
  const options = {
    dataDir: '',
    channels: ['email'],
    maxIncidents: 1_000,
    maxBacklog: 1_000,
    now: () => START,
  } as const
  return openStore(options, openPostgresStore(connection))
}
