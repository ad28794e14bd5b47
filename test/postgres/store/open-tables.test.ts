import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTables } from '../../../actors/store/postgres/open-tables.ts'
import { CLUSTER_TABLES } from '../../../src/cluster/tables.ts'
import { JOURNAL_MIGRATIONS } from '../../../src/journal/postgres/schema.ts'
import { installSchema, STORE_PART } from '../../../src/store/postgres/schema.ts'
import { folder } from '../../harness/config-file.ts'
import { until } from '../../harness/until.ts'
import { opened, ownServer, settingsOf } from '../settings.ts'

test('a server that is down when the store opens is waited for', async (t) => {
  const server = await ownServer(t)
  if (!server) return
  const url = await server.database()
  const connection = opened(t, url)
  installSchema(connection, 'public', [CLUSTER_TABLES, { name: 'journal', migrations: JOURNAL_MIGRATIONS }, STORE_PART])
  await server.stop()
  const failures: string[] = []
  const options = { dataDir: folder(), channels: [], maxIncidents: 1_000, maxBacklog: 1_000, now: () => Date.now() }
  const opening = openTables(options, settingsOf(url), {
    term: 0,
    repeated() {},
    failed: ({ code }) => failures.push(code),
  })
  await until(() => failures.length > 0)
  await server.start()
  const { store, lastCommitted } = await opening
  t.after(() => store.close())
  assert.equal(lastCommitted?.(), 0)
  assert.deepEqual(failures, ['storage_down'])
})
