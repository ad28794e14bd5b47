import type { TestContext } from 'node:test'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import { openSyncPostgres, type SyncPostgres } from '../../src/postgres/sync.ts'
import { newPostgresServer, type PostgresServer, postgresServer } from '../harness/postgres.ts'

export const settingsOf = (url: string, changed: Partial<PostgresSettings> = {}): PostgresSettings => ({
  url,
  listenUrl: '',
  schema: 'public',
  leaseMs: 2_000,
  commitTimeoutMs: 5_000,
  requireSynchronous: false,
  ...changed,
})

/** Opens a connection that the test closes. */
export function opened(
  t: TestContext,
  url: string,
  changed: Partial<PostgresSettings> = {},
  repeated = (_error: unknown) => {},
): SyncPostgres {
  const connection = openSyncPostgres(settingsOf(url, changed), { applicationName: 'test', repeated })
  t.after(() => connection.close())
  return connection
}

/** Returns the server of the process; skips the test where there is none. */
export async function sharedServer(t: TestContext): Promise<PostgresServer | undefined> {
  return present(t, await postgresServer())
}

/** As `sharedServer`, a server that the test may change and end. */
export async function ownServer(
  t: TestContext,
  settings: { readonly [name: string]: string } = {},
): Promise<PostgresServer | undefined> {
  const server = present(t, await newPostgresServer(settings))
  if (server) t.after(() => server.crash())
  return server
}

function present(t: TestContext, server: Awaited<ReturnType<typeof postgresServer>>): PostgresServer | undefined {
  if (!('missing' in server)) return server
  t.skip(server.missing)
  return undefined
}
