import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../harness/until.ts'
import { frameOf } from '../../journal/support.ts'
import { opened } from '../settings.ts'
import { bodiesIn, committedIn, newTables, openOn, serverFor } from './support.ts'

const TIMEOUT_MS = 1_500

test('an append waits for a replica that holds the head, and tries again when the server gives up first', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const { journal } = openOn(opened(t, url, { commitTimeoutMs: TIMEOUT_MS }), 60_000)
  journal.append([frameOf(['{"n":1}'])])
  const held = server.sql('BEGIN; SELECT * FROM journal_head FOR UPDATE; SELECT pg_sleep(1.5); COMMIT', url)
  await until(
    () =>
      server.sql("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT%' AND wait_event = 'PgSleep'", url),
    ({ length }) => length === 1,
  )
  journal.append([frameOf(['{"n":2}'])])
  await held
  assert.deepEqual([...bodiesIn(connection, 1, committedIn(connection)).values()], ['{"n":1}', '{"n":2}'])
})
