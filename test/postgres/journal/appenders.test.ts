import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PostgresServer } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { startAppenders } from './appenders.ts'
import { bodiesIn, committedIn, newTables, openOn, serverFor } from './support.ts'
import { assertWhole } from './whole.ts'

for (const count of [2, 3])
  test(`${count} appenders at once: numbers without gaps in the order of commit, and a reader that never sees one`, async (t) => {
    const server = await serverFor(t)
    if (!server) return
    const { url, connection } = await newTables(t, server)
    const appenders = startAppenders(t, { url, count })
    let read = 0
    await until(
      () => {
        const committed = committedIn(connection)
        // Throws at a gap.
        read += bodiesIn(connection, read + 1, committed).size
        return appenders.answered.size
      },
      (answered) => answered > 3_000,
      { everyMs: 1 },
    )
    await appenders.stop()
    assertWhole(connection, appenders)
    assert.equal(appenders.refused.size, 0)
    assert.equal(appenders.answered.size, committedIn(connection))
  })

test('of a key that three replicas use at the same time one incident is made, and all get its id', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const keys = Array.from({ length: 150 }, (_, at) => `key ${at}`)
  const appenders = startAppenders(t, { url, count: 3, keys })
  await until(() => appenders.answered.size > 1_500)
  await appenders.stop()
  assertWhole(connection, appenders)
  assert.deepEqual([...appenders.keys.keys()].sort(), [...keys].sort())
  for (const [key, ids] of appenders.keys) assert.equal(ids.size, 1, key)
  const { journal } = openOn(connection)
  for (const [key, id] of journal.findKeys(keys)) assert.ok(appenders.keys.get(key)?.has(id), key)
})

test('appenders whose connections are killed all the time lose no answered incident and make none twice', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const keys = Array.from({ length: 100 }, (_, at) => `key ${at}`)
  const appenders = startAppenders(t, { url, count: 3, keys })
  let kills = 0
  // The next kill waits for ten answers, or a slow machine would only connect.
  let due = 0
  await until(
    async () => {
      if (appenders.answered.size < due) return kills
      due = appenders.answered.size + 10
      kills += await killAppenders(server, url)
      return kills
    },
    (killed) => killed > 60 && appenders.answered.size > 300,
    { everyMs: 5 },
  )
  await appenders.stop()
  assertWhole(connection, appenders)
  for (const [key, ids] of appenders.keys) assert.equal(ids.size, 1, key)
})

async function killAppenders(server: PostgresServer, url: string): Promise<number> {
  const sql =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'appender%' AND datname = current_database()"
  return (await server.sql(sql, url)).length
}
