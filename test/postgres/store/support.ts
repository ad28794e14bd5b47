import type { TestContext } from 'node:test'
import type { SyncPostgres } from '../../../src/postgres/sync.ts'
import { openPostgresStore } from '../../../src/store/postgres/engine.ts'
import { installSchema, STORE_PART } from '../../../src/store/postgres/schema.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { newPostgresServer, postgresServer } from '../../harness/postgres.ts'
import { START } from '../../store/support.ts'
import { opened, settingsOf } from '../settings.ts'

/** A server with a database that holds the tables of the store; undefined: there is none, and the test is left out. */
export async function given(t: TestContext, { ownServer = false } = {}) {
  const server = await (ownServer ? newPostgresServer() : postgresServer())
  if ('missing' in server) {
    t.skip(server.missing)
    return undefined
  }
  if (ownServer) t.after(() => server.stop())
  const url = await server.database()
  const connect = () => opened(t, settingsOf(url))
  const connection = connect()
  installSchema(connection, 'public', [STORE_PART])
  return { server, url, connection, connect, open: (over: SyncPostgres = connect()) => open(over) }
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
