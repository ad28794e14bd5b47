import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { post } from '../harness/net/requests.ts'
import { newPostgresServer, type PostgresServer } from '../harness/postgres.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { fill, onSmallVolume } from '../harness/volume.ts'
import { skip, startCluster, type TestReplica } from './cluster.ts'

const isReady = (replica: TestReplica) => until(replica.isReady, (ready) => ready)
const isNotReady = (replica: TestReplica) => until(replica.isReady, (ready) => !ready)

/** Resolves with the status of a post whose payload needs new pages in any table. */
async function statusOf({ url }: TestReplica, title: string): Promise<number> {
  const answer = await post(url, { title, ServiceName: title, Logs: randomBytes(40_000).toString('base64') })
  await answer.arrayBuffer()
  return answer.status
}

const accepts = (replica: TestReplica, title: string) =>
  until(
    () => statusOf(replica, title),
    (status) => status === 201,
  )

/** Moves a database to a volume. */
async function onVolume(server: PostgresServer, database: string, dir: string): Promise<void> {
  const [row] = await server.sql('SHOW data_directory')
  const { uid, gid } = await stat(String(row?.data_directory))
  const place = join(dir, 'data', 'tables')
  await chmod(dir, 0o755)
  await mkdir(place)
  await chown(place, uid, gid)
  await server.sql(`CREATE TABLESPACE small LOCATION '${place}'`)
  await server.sql(`ALTER DATABASE ${new URL(database).pathname.slice(1)} SET TABLESPACE small`)
}

test('a replica is not ready while the disk of the database is full', { skip }, async (t) => {
  const dir = onSmallVolume(t)
  if (dir === undefined) return
  const server = await newPostgresServer()
  assert.ok(!('missing' in server))
  t.after(() => server.stop())
  const { alert, flow } = await twoChannels(t)
  const { replicas } = await startCluster(t, {
    server,
    config: { alert },
    async databaseOf(url, nth) {
      if (nth === 0) await onVolume(server, url, dir)
      return url
    },
  })
  for (const replica of replicas) await accepts(replica, `before at ${replica.name}`)
  const ballast = join(dir, 'data', 'ballast')
  fill(ballast)
  for (const replica of replicas) {
    await until(async () => (await statusOf(replica, 'refused')) === 503)
    await isNotReady(replica)
    assert.match(await (await fetch(`${replica.url}/readyz`)).text(), /journal \(PostgreSQL failed: .*No space left/)
    assert.equal((await fetch(`${replica.url}/healthz`)).status, 200)
  }
  await rm(ballast)
  for (const replica of replicas) {
    await isReady(replica)
    await accepts(replica, `after at ${replica.name}`)
    await flow.waitFor(({ body }) => body.includes(`after at ${replica.name}`))
  }
})

test('a replica is not ready while the database takes no writes', {
  skip,
}, async (t) => {
  const server = await newPostgresServer()
  assert.ok(!('missing' in server))
  t.after(() => server.stop())
  const { alert, flow } = await twoChannels(t)
  const { replicas } = await startCluster(t, { server, config: { alert } })
  await server.configure({ default_transaction_read_only: 'on' })
  for (const replica of replicas) {
    await isNotReady(replica)
    assert.equal(await statusOf(replica, 'refused'), 503)
  }
  await server.configure({ default_transaction_read_only: 'off' })
  for (const replica of replicas) {
    await isReady(replica)
    await accepts(replica, `after at ${replica.name}`)
    await flow.waitFor(({ body }) => body.includes(`after at ${replica.name}`))
  }
})
