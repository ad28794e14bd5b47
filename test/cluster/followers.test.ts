import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { skip, startCluster } from './cluster.ts'

for (const [address, why] of [
  [
    'http://127.0.0.1:9',
    /replica-1 leads and cannot be reached at http:\/\/127\.0\.0\.1:9 .*check replica\.address there/,
  ],
  ['', /replica-1 leads and has no address: set replica\.address there/],
] as const)
  test(`followers of a leader with the address "${address}" accept, and say why they show nothing`, {
    skip,
  }, async (t) => {
    const { chat, alert } = await twoChannels(t)
    const { replicas } = await startCluster(t, { config: { alert }, addressOf: () => address })
    const [leader, follower] = replicas
    assert.ok(leader && follower)
    assert.equal((await post(follower.url, { title: 'taken by a follower' })).status, 201)
    await until(() => chat.requests.length === 1)
    const headers = { 'X-Gateway-Secret': SECRET }
    const refused = await fetch(`${follower.url}/api/admin/incidents`, { headers })
    assert.equal(refused.status, 503)
    assert.match(((await refused.json()) as { error: string }).error, why)
    assert.equal((await fetch(`${follower.url}/api/admin/replicas`, { headers })).status, 200)
    assert.equal(await follower.isReady(), true)
    assert.equal((await admin<{ incidents: unknown[] }>(leader.url, '/api/admin/incidents')).incidents.length, 1)
  })

test('a follower is killed: the leader goes on, and the list forgets the follower after its lease', {
  skip,
}, async (t) => {
  const { chat, alert } = await twoChannels(t)
  const { replicas } = await startCluster(t, { config: { alert } })
  const [leader, follower] = replicas
  assert.ok(leader && follower)
  await follower.end('SIGKILL')
  assert.equal((await post(leader.url, { title: 'after the follower' })).status, 201)
  await until(() => chat.requests.length === 1)
  const names = async () =>
    (await admin<{ replicas: { name: string }[] }>(leader.url, '/api/admin/replicas')).replicas.map(({ name }) => name)
  assert.deepEqual(await until(names, ({ length }) => length === 1), [leader.name])
  assert.doesNotMatch(leader.output(), /another replica leads/)
})
