import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OutcomeUnknown, ServerChanged } from '../../src/postgres/errors.ts'
import type { PostgresServer } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'
import { opened, ownServer } from './settings.ts'

interface Pair {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  /** Names the standby first. */
  readonly url: string
}

async function pairOf(t: TestContext, synchronous: boolean): Promise<Pair | undefined> {
  const primary = await ownServer(t)
  if (!primary) return undefined
  if (primary.noStandby) {
    t.skip(primary.noStandby)
    return undefined
  }
  const url = new URL(await primary.database())
  const standby = await primary.standby('second')
  t.after(() => standby.crash())
  if (synchronous) await primary.configure({ synchronous_standby_names: "'second'" })
  await until(
    () =>
      primary.sql(
        "SELECT count(*)::int AS n FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'",
      ),
    ([row]) => row?.n === (synchronous ? 1 : 0),
  )
  return { primary, standby, url: url.href.replace(url.host, `127.0.0.1:${standby.port},${url.host}`) }
}

test('after a failover nothing of a synchronous pair is lost, and the change is told once', async (t) => {
  const pair = await pairOf(t, true)
  if (!pair) return
  const { primary, standby, url } = pair
  const db = opened(t, url)
  db.exec('CREATE TABLE t (n bigint)')
  assert.deepEqual(db.query('SELECT inet_server_port()').rows, [[primary.port]])
  for (let n = 0; n < 20; n++) {
    db.begin()
    db.queue('INSERT INTO t VALUES ($1)', [n])
    db.commit()
  }
  await primary.kill()
  assert.throws(() => db.query('SELECT 1'), { code: 'storage_down' })
  assert.throws(() => db.query('SELECT 1'), { code: 'storage_down', message: /is a standby: name the primary too/ })
  await standby.promote()
  assert.throws(() => db.query('SELECT 1'), ServerChanged)
  assert.deepEqual(db.query('SELECT count(*) FROM t').rows, [[20]])
  assert.deepEqual(db.query('SELECT inet_server_port()').rows, [[standby.port]])
})

test('a commit that its synchronous standby did not confirm is no commit yet', async (t) => {
  const pair = await pairOf(t, true)
  if (!pair) return
  const { primary, standby, url } = pair
  const db = opened(t, url, { commitTimeoutMs: 1_500 })
  db.exec('CREATE TABLE t (n bigint)')
  await standby.stop()
  const start = performance.now()
  db.begin()
  db.queue('INSERT INTO t VALUES (1)')
  assert.throws(() => db.commit(), OutcomeUnknown)
  assert.ok(performance.now() - start < 8_000)
  assert.throws(() => db.query('INSERT INTO t VALUES (2)'), { code: 'storage_down' })
  await standby.start()
  await until(
    () => primary.sql("SELECT count(*)::int AS n FROM pg_stat_replication WHERE sync_state = 'sync'"),
    ([row]) => row?.n === 1,
  )
  db.begin()
  db.queue('INSERT INTO t VALUES (3)')
  db.commit()
  // They were committed on the primary, which cannot undo them.
  assert.deepEqual(db.query('SELECT count(*) FROM t').rows, [[3]])
})
