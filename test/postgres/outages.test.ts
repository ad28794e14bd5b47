import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { isRetryable, OutcomeUnknown, PostgresError } from '../../src/postgres/errors.ts'
import type { SyncPostgres } from '../../src/postgres/sync.ts'
import type { PostgresServer } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'
import { startProxy, type TcpProxy, through } from './proxy.ts'
import { opened, ownServer, sharedServer } from './settings.ts'

const COMMIT_TIMEOUT_MS = 1_500
/** The server ends a statement after 0.8 of it. */
const BOUND_MS = 2 * COMMIT_TIMEOUT_MS + 5_000

interface Subject {
  readonly db: SyncPostgres
  /** Ends the connection of `db` in the server. */
  terminate(): Promise<void>
  readonly proxy: TcpProxy
  readonly server: PostgresServer
  /** Not by way of the proxy. */
  readonly other: SyncPostgres
}

/** A test with a connection through a proxy, and a table `t (n)`. */
function withProxy(name: string, body: (subject: Subject, t: TestContext) => Promise<void> | void): void {
  test(name, async (t) => {
    const server = await sharedServer(t)
    if (!server) return
    const url = await server.database()
    const proxy = await startProxy(t, server.port)
    const other = opened(t, url)
    other.exec('CREATE TABLE t (n bigint)')
    const db = opened(t, through(url, proxy.port), { commitTimeoutMs: COMMIT_TIMEOUT_MS })
    db.query('SELECT count(*) FROM t')
    const pid = () => db.query('SELECT pg_backend_pid()').rows[0]?.[0]
    async function terminate(): Promise<void> {
      const old = db.inTransaction ? undefined : pid()
      await server?.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'
         AND ${old === undefined ? "state = 'idle in transaction'" : `pid = ${old}`}`,
      )
    }
    await body({ db, terminate, proxy, server, other }, t)
  })
}

const countOf = (db: SyncPostgres) => db.query('SELECT count(*) FROM t').rows[0]?.[0]
const insert = (db: SyncPostgres, n = 1) => db.queue('INSERT INTO t VALUES ($1)', [n])

function isDown(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'storage_down' && !(error instanceof OutcomeUnknown)
}

withProxy('an idle connection that the server ended is made anew', async ({ db, terminate }) => {
  await terminate()
  await until(
    () => {
      try {
        return db.query('SELECT 1').rows.length
      } catch (error) {
        assert.ok(isDown(error) && isRetryable(error), String(error))
        return 0
      }
    },
    (count) => count === 1,
  )
  insert(db)
  db.flush()
  assert.equal(countOf(db), 1)
})

withProxy('a transaction whose connection is lost fails as a whole, up to its rollback', async ({ db, terminate }) => {
  db.begin()
  insert(db)
  db.flush()
  await terminate()
  assert.throws(() => {
    insert(db)
    db.flush()
  }, isDown)
  assert.throws(() => db.query('SELECT 1'), isDown)
  assert.throws(() => db.commit(), isDown)
  db.rollback()
  assert.equal(countOf(db), 0)
  db.begin()
  insert(db)
  db.commit()
  assert.equal(countOf(db), 1)
})

withProxy('a commit whose answer is lost is found to have taken effect', ({ db, proxy, other }) => {
  for (let n = 1; n <= 5; n++) {
    db.begin()
    insert(db)
    db.flush()
    proxy.mode = 'cut'
    db.commit()
    assert.equal(countOf(other), n)
  }
})

withProxy('a commit that never arrived is found to have had no effect, and may be repeated', ({ db, proxy, other }) => {
  db.begin()
  insert(db)
  db.flush()
  proxy.mode = 'silent'
  const start = performance.now()
  proxy.passAfter(COMMIT_TIMEOUT_MS + 200)
  assert.throws(
    () => db.commit(),
    (error) => isDown(error) && isRetryable(error),
  )
  assert.ok(performance.now() - start < BOUND_MS)
  assert.equal(countOf(other), 0)
  assert.equal(db.inTransaction, false)
  db.begin()
  insert(db)
  db.commit()
  assert.equal(countOf(other), 1)
})

withProxy('the word of the caller decides about a commit that the server calls committed', ({ db, proxy, other }) => {
  const asked: unknown[] = []
  const begin = (mode: 'cut', answer: boolean) => {
    db.begin()
    insert(db)
    db.flush()
    proxy.mode = mode
    db.commit(() => {
      asked.push(countOf(db))
      return answer
    })
  }
  begin('cut', true)
  assert.throws(() => begin('cut', false), isDown)
  assert.deepEqual(asked, [1, 2])
  assert.equal(countOf(other), 2)
})

withProxy('a silent network blocks no longer than the timeouts, and an outcome is unknown then', ({ db, proxy }) => {
  db.begin()
  insert(db)
  db.flush()
  proxy.mode = 'silent'
  let start = performance.now()
  assert.throws(() => db.commit(), OutcomeUnknown)
  assert.ok(performance.now() - start < BOUND_MS)
  start = performance.now()
  assert.throws(() => db.query('SELECT 1'), isDown)
  assert.ok(performance.now() - start < BOUND_MS)
  proxy.mode = 'refuse'
  assert.throws(
    () => db.query('SELECT 1'),
    (error) => isDown(error) && (error as { cause: PostgresError }).cause.sent === false,
  )
  proxy.mode = 'pass'
  assert.deepEqual(db.query('SELECT 1').rows, [[1]])
})

test('a crash of the server loses nothing that was committed', async (t) => {
  const server = await ownServer(t)
  if (!server) return
  const db = opened(t, await server.database())
  db.exec('CREATE TABLE t (n bigint)')
  db.begin()
  insert(db)
  db.commit()
  db.begin()
  insert(db)
  db.flush()
  await server.crash()
  assert.throws(() => db.commit(), isDown)
  db.rollback()
  assert.throws(
    () => db.query('SELECT 1'),
    (error) => isDown(error) && (error as { cause: PostgresError }).cause.sent === false,
  )
  await server.start()
  assert.equal(countOf(db), 1)
})

test('a full disk of the server is storage_full', async (t) => {
  const server = await sharedServer(t)
  if (!server) return
  const db = opened(t, await server.database())
  for (const [sqlstate, code] of [
    ['53100', 'storage_full'],
    ['53200', 'storage_down'],
    ['53300', 'storage_down'],
    ['57014', 'storage_down'],
    ['40001', 'storage_down'],
    ['58030', 'storage_down'],
  ]) {
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${sqlstate}'; END $$`
    assert.throws(() => db.query(raise), { code })
  }
  const own = "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'TC001'; END $$"
  assert.throws(
    () => db.query(own),
    (error) => error instanceof PostgresError && error.sqlstate === 'TC001',
  )
})

test('a server that has no connection left says so', async (t) => {
  const server = await ownServer(t, { max_connections: '5', superuser_reserved_connections: '1', max_wal_senders: '0' })
  if (!server) return
  const url = await server.database()
  const some = Array.from({ length: 4 }, () => opened(t, url))
  for (const db of some) db.query('SELECT 1')
  const late = opened(t, url)
  assert.throws(
    () => late.query('SELECT 1'),
    (error) => isDown(error) && isRetryable(error) && /too many|reserved/.test(String(error)),
  )
  some[0]?.close()
  await until(
    () => {
      try {
        return late.query('SELECT 1').rows.length
      } catch {
        return 0
      }
    },
    (count) => count === 1,
  )
})

test('a killed postmaster is started again', async (t) => {
  const server = await ownServer(t)
  if (!server) return
  const db = opened(t, await server.database())
  db.exec('CREATE TABLE t (n bigint)')
  await server.kill()
  await server.start()
  await until(
    () => {
      try {
        return countOf(db)
      } catch (error) {
        assert.ok(isDown(error), String(error))
        return undefined
      }
    },
    (count) => count === 0,
  )
})
