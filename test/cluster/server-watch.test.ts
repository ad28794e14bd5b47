import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import type { Row } from '../../src/cluster/contract.ts'
import { ServerWatch } from '../../src/cluster/server-watch.ts'
import { scrapeOf } from '../harness/metrics.ts'
import { postgresServer } from '../harness/postgres.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { startCluster } from './cluster.ts'

const server = await postgresServer()
const skip = 'missing' in server ? server.missing : false

test('the age of a transaction that stays open, and rows that were deleted, are told', { skip }, async (t) => {
  assert.ok(!('missing' in server))
  const url = await server.database()
  const open = async () => {
    const client = new Client(url)
    await client.connect()
    t.after(() => client.end())
    return client
  }
  const [watching, idle] = [await open(), await open()]
  await watching.query(
    'CREATE TABLE things (id int); INSERT INTO things SELECT generate_series(1, 50); DELETE FROM things',
  )
  await idle.query('BEGIN; SELECT 1')
  const connection = { query: async (text: string) => (await watching.query<Row>(text)).rows }
  const watch = new ServerWatch(() => performance.now())
  const state = await until(
    () => watch.read(connection),
    ({ deadTuples = {}, oldestTransactionMs = 0 }) => deadTuples.things === 50 && oldestTransactionMs > 50,
  )
  await idle.query('COMMIT')
  const after = await watch.read(connection)
  assert.ok((after.oldestTransactionMs ?? Number.NaN) < (state.oldestTransactionMs ?? Number.NaN))
})

test('a transaction of another user is told, whose beginning only its own role may see', { skip }, async (t) => {
  assert.ok(!('missing' in server))
  const url = await server.database()
  const [watching, foreign] = [new Client(url), new Client(server.admin(url))]
  for (const client of [watching, foreign]) {
    await client.connect()
    t.after(() => client.end())
  }
  await foreign.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
  const watch = new ServerWatch(() => performance.now())
  const read = async () => {
    // As beats do.
    await watching.query('SELECT pg_current_xact_id()')
    return watch.read({ query: async (text: string) => (await watching.query<Row>(text)).rows })
  }
  const { oldestTransactionMs = 0 } = await until(read, (state) => (state.oldestTransactionMs ?? 0) > 50)
  await foreign.query('COMMIT')
  assert.ok(((await read()).oldestTransactionMs ?? Number.NaN) < oldestTransactionMs)
})

test('the leader shows for how long a session of somebody else keeps old rows', { skip }, async (t) => {
  const { alert } = await twoChannels(t)
  const { replicas } = await startCluster(t, {
    config: { alert },
    async databaseOf(url, nth) {
      if (nth > 0) return url
      const client = new Client(url)
      await client.connect()
      t.after(() => client.end())
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
      return url
    },
  })
  const [leader, follower] = replicas
  assert.ok(leader && follower)
  const read = async ({ url }: typeof leader) => scrapeOf(await (await fetch(`${url}/metrics`)).text()).values
  const values = await until(
    () => read(leader),
    (found) => found.has('tocsin_store_oldest_transaction_seconds'),
  )
  assert.ok((values.get('tocsin_store_oldest_transaction_seconds') ?? 0) > 0)
  for (const table of ['dispatches', 'incidents', 'journal_head'])
    assert.ok(values.has(`tocsin_store_dead_tuples{table="${table}"}`), table)
  assert.ok(!(await read(follower)).has('tocsin_store_oldest_transaction_seconds'))
})
