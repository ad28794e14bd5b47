import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { freePort } from '../harness/net/port.ts'
import { until } from '../harness/until.ts'
import { through } from './proxy.ts'
import { opened, sharedServer } from './settings.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

function isInstalled(): boolean {
  try {
    accessSync(PGBOUNCER)
    return true
  } catch {
    return false
  }
}

/** Starts pgbouncer in transaction mode with one connection to each database; returns its port. */
async function startPooler(t: TestContext, to: number): Promise<number> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pgbouncer-'))
  await chmod(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${to} pool_size=1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users
pool_mode = transaction
`,
  )
  await writeFile(join(folder, 'users'), '"tocsin" "tocsin"\n"postgres" ""\n')
  // It refuses to run as root.
  const user = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(PGBOUNCER, ['-q', file], { ...user, stdio: 'ignore' })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true })
  })
  await until(
    async () => {
      const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
      client.on('error', () => {})
      return client.connect().then(
        () => client.end().then(() => true),
        () => false,
      )
    },
    (accepts) => accepts,
  )
  return port
}

test('a transaction pooler serves several connections with one of its own', {
  skip: !isInstalled() && 'no pgbouncer',
}, async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const direct = await server.database()
  await server.sql('CREATE SCHEMA own AUTHORIZATION tocsin', direct)
  const url = through(direct, await startPooler(t, server.port))
  const some = ['a', 'b', 'c'].map(() => opened(t, url, { listenUrl: direct, schema: 'own' }))
  const [db = assert.fail(), other = assert.fail()] = some
  db.exec('CREATE TABLE t (n bigint, s text)')
  const insert = 'INSERT INTO t VALUES ($1, $2)'
  for (let n = 0; n < 20; n++)
    for (const each of some) {
      each.begin()
      each.queue(insert, [n, 'x'])
      each.queue(insert, [null, 'y'])
      assert.equal(each.query('SELECT s FROM t WHERE n = $1', [n]).rows[0]?.[0], 'x')
      each.commit()
      each.queue(insert, [n, 'z'])
      each.flush()
    }
  assert.deepEqual(other.query('SELECT count(*), count(n) FROM t').rows, [[180, 120]])
  assert.deepEqual(db.query("SELECT current_setting('statement_timeout'), current_setting('search_path')").rows, [
    ['4s', '"own"'],
  ])
  // Nothing of it stays with the connection of the pooler.
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    "SELECT current_setting('statement_timeout') AS timeout, count(*)::int AS n FROM pg_prepared_statements",
  )
  await client.end()
  assert.deepEqual(rows, [{ timeout: '0', n: 0 }])
})
