import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { newPostgresServer, type PostgresServer } from '../../harness/postgres.ts'
import { twoChannels } from '../../harness/providers.ts'
import { admin, post } from '../../harness/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'
import { serverFor } from './support.ts'

const MAX_BACKLOG = 40

/** Starts two replicas with one channel; the first one leads. */
async function startReplicas(t: TestContext, server: PostgresServer) {
  const { flow, alert } = await twoChannels(t)
  const postgres = { url: await server.database(), max_backlog: MAX_BACKLOG, lease: '5s', commit_timeout: '2s' }
  const start = (name: string) => {
    const dir = folder()
    const storage = { type: 'postgres', postgres, file: { data_dir: join(dir, 'data') } }
    return startTestSystem(t, configFile(dir, { alert: { officechat: alert.officechat }, storage, replica: { name } }))
  }
  const [leader, follower] = [await start('a'), await start('b')]
  await until(async () => (await fetch(`${leader.url}/readyz`)).status === 200)
  return { flow, leader, follower }
}

const idOf = (answer: Response) => answer.headers.get('x-incident-id') ?? assert.fail('the answer has no id')

test('a follower accepts, and its incidents are applied and delivered by the leader', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { flow, leader, follower } = await startReplicas(t, server)
  for (let n = 0; n < 20; n++) {
    const answer = await post(n % 2 === 0 ? follower.url : leader.url, { ServiceName: `mark-${n}-end` })
    assert.equal(answer.status, 201)
    const id = idOf(answer)
    // The leader's process may know nothing of it yet.
    const detail = await admin<{ id: string }>(leader.url, `/api/admin/incidents/${id}`)
    assert.equal(detail.id, id)
    await admin(leader.url, `/api/admin/incidents/${id}/resolve`, 'POST')
  }
  for (let n = 0; n < 20; n++) await flow.waitFor(({ body }) => body.includes(`mark-${n}-end`))
})

test('a key that is used on both replicas at the same time makes one incident', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { leader, follower } = await startReplicas(t, server)
  for (let n = 0; n < 10; n++) {
    const urls = [leader.url, follower.url, leader.url, follower.url]
    const answers = await Promise.all(urls.map((url) => post(url, { n }, { 'Idempotency-Key': `key-${n}` })))
    const ids = answers.map(idOf)
    assert.equal(new Set(ids).size, 1, String(ids))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 201])
  }
})

test('the quota holds over both replicas, up to what they take in half a second', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { flow, leader, follower } = await startReplicas(t, server)
  const healed = Promise.withResolvers<void>()
  flow.script = () => ({ after: healed.promise })
  t.after(() => healed.resolve())
  let accepted = 0
  const isFull = async (url: string) => {
    const answer = await post(url, {})
    if (answer.status === 201) accepted++
    else assert.deepEqual([answer.status, Number(answer.headers.get('retry-after')) > 0], [503, true])
    return answer.status === 503
  }
  for (let n = 0; n < MAX_BACKLOG - 1; n++) assert.equal(await isFull(follower.url), false)
  await until(() => isFull(leader.url))
  await until(() => isFull(follower.url))
  assert.ok(accepted >= MAX_BACKLOG, `${accepted} accepted`)
  healed.resolve()
  await until(async () => !(await isFull(follower.url)))
})

test('while the engine is down every replica answers 503 storage_down, and afterwards both accept again', async (t) => {
  const server = await newPostgresServer()
  if ('missing' in server) return t.skip(server.missing)
  t.after(() => server.stop())
  const { flow, leader, follower } = await startReplicas(t, server)
  assert.equal((await post(follower.url, { ServiceName: 'before-end' })).status, 201)
  await server.crash()
  for (const { url } of [leader, follower])
    for (const headers of [{}, { 'Idempotency-Key': 'k' }]) {
      const answer = await post(url, {}, headers)
      assert.equal(answer.status, 503)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      assert.match(await answer.text(), /the storage is not available/)
    }
  await server.start()
  for (const { url } of [leader, follower])
    await until(async () => (await post(url, { ServiceName: 'afterwards-end' })).status === 201)
  await flow.waitFor(({ body }) => body.includes('before-end'))
  await flow.waitFor(({ body }) => body.includes('afterwards-end'))
})
