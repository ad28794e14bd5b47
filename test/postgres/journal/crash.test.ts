import { test } from 'node:test'
import { newPostgresServer, type PostgresServer } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { startAppenders } from './appenders.ts'
import { newTables } from './support.ts'
import { assertWhole } from './whole.ts'

test('an engine that crashes again and again loses no answered incident and makes none twice', async (t) => {
  const server = await newPostgresServer()
  if ('missing' in server) return t.skip(server.missing)
  t.after(() => server.stop())
  const { url, connection } = await newTables(t, server)
  const appenders = startAppenders(t, { url, count: 3 })
  for (let crashes = 1; crashes <= 4; crashes++) {
    const before = appenders.answered.size
    await until(() => appenders.answered.size > before + 300)
    if (crashes % 2 === 0) await killBackend(server, url)
    else {
      await server.crash()
      await server.start()
    }
  }
  await appenders.stop()
  await until(() => answers(() => connection.query('SELECT 1')))
  assertWhole(connection, appenders)
})

/** The server then ends all backends and recovers, as after any of its own crashes. */
async function killBackend(server: PostgresServer, url: string): Promise<void> {
  const sql =
    "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'appender%' AND datname = current_database()"
  const pids = await until(
    async () => (await server.sql(sql, url)).map(({ pid }) => Number(pid)),
    ({ length }) => length > 0,
  )
  process.kill(pids[0] as number, 'SIGKILL')
}

function answers(ask: () => unknown): boolean {
  try {
    ask()
    return true
  } catch {
    return false
  }
}
