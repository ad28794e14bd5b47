import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../harness/until.ts'
import { frameOf } from '../../journal/support.ts'
import { startProxy } from '../proxy.ts'
import { opened } from '../settings.ts'
import { bodiesIn, committedIn, newTables, openOn, serverFor } from './support.ts'

const TIMEOUT_MS = 1_500
/** The connection would wait for so long. */
const CONNECTION_TIMEOUT_MS = 30_000

test('an append whose answer is lost on its way is there once, and is answered', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const proxy = await startProxy(t, server.port)
  const { journal } = openOn(opened(t, url.replace(String(server.port), String(proxy.port))))
  const bodies = Array.from({ length: 12 }, (_, n) => `{"n":${n}}`)
  bodies.forEach((body, n) => {
    // The statement is known to the connection from the second time on; then one reply is that of the append.
    if (n > 2) proxy.mode = 'cut'
    journal.append([frameOf([body])])
  })
  assert.deepEqual([...bodiesIn(connection, 1, committedIn(connection)).values()], bodies)
})

test('an append into a silent network is refused while that is silent, and is not there when it is back', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const proxy = await startProxy(t, server.port)
  const through = url.replace(String(server.port), String(proxy.port))
  const { journal } = openOn(opened(t, through, { commitTimeoutMs: CONNECTION_TIMEOUT_MS }), TIMEOUT_MS)
  journal.append([frameOf(['{"n":1}'])])
  proxy.mode = 'silent'
  proxy.passAfter(CONNECTION_TIMEOUT_MS / 2)
  assert.throws(() => journal.append([frameOf(['{"n":2}'])]), { code: 'storage_down' })
  proxy.mode = 'pass'
  journal.append([frameOf(['{"n":3}'])])
  assert.deepEqual([...bodiesIn(connection, 1, committedIn(connection)).values()], ['{"n":1}', '{"n":3}'])
})

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
