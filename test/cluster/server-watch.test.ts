import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import type { Row } from '../../src/cluster/contract.ts'
import { readServerState } from '../../src/cluster/server-watch.ts'
import { postgresServer } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

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
  const state = await until(
    () => readServerState(connection),
    ({ deadTuples = {}, oldestTransactionMs = 0 }) => deadTuples.things === 50 && oldestTransactionMs > 50,
  )
  await idle.query('COMMIT')
  const after = await readServerState(connection)
  assert.ok((after.oldestTransactionMs ?? Number.NaN) < (state.oldestTransactionMs ?? Number.NaN))
})
