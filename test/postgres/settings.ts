import type { TestContext } from 'node:test'
import type { PostgresSettings } from '../../src/postgres/settings.ts'
import { openSyncPostgres, type SyncPostgres } from '../../src/postgres/sync.ts'

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
export function opened(t: TestContext, settings: PostgresSettings): SyncPostgres {
  const connection = openSyncPostgres(settings, { applicationName: 'test' })
  t.after(() => connection.close())
  return connection
}
