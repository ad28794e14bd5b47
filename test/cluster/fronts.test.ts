import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrapeOf } from '../harness/metrics.ts'
import { type Answer, ask, CONNECTIONS, everywhere } from '../harness/net/requests.ts'
import { tailOf } from '../harness/net/tail.ts'
import { twoChannels } from '../harness/providers.ts'
import { until } from '../harness/until.ts'
import { skip, startCluster } from './cluster.ts'

const PUBLIC = 'https://tocsin.example.test'
const TAILS = 12

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

test('replicas with two HTTP threads accept, forward, acknowledge and show the tail on each', { skip }, async (t) => {
  const { chat, alert } = await twoChannels(t)
  const oncall = { enable: true, provider: 'webhook', wait_minutes: 30, webhook: { url: 'http://127.0.0.1:9/page' } }
  const config = { alert, oncall, public_host: PUBLIC, http: { threads: 2 } }
  const cluster = await startCluster(t, { config })
  const [leader, follower] = cluster.replicas
  assert.ok(leader && follower)
  const raise = (url: string, title: string) =>
    ask(url, '/api/incidents', {
      method: 'POST',
      body: JSON.stringify({ title, ServiceName: title, severity: 'critical' }),
    })
  const tails = await Promise.all(
    Array.from({ length: TAILS }, (_, nth) => tailOf(t, (nth % 2 === 0 ? leader : follower).url, '&kinds=incident')),
  )

  const ids = new Set<string>()
  for (const { url, name } of cluster.replicas) {
    const answers = await everywhere((nth) => raise(url, `${name} ${nth}`))
    assert.deepEqual(statuses(answers), [201])
    for (const { id } of answers) ids.add(id)
    const { values } = scrapeOf((await ask(url, '/metrics')).text)
    assert.equal(values.get('tocsin_incidents_accepted_total{source="webhook"}'), CONNECTIONS)
  }
  assert.equal(ids.size, 2 * CONNECTIONS)
  for (const tail of tails) await tail.until(() => tail.events.length >= ids.size)
  for (const { events } of tails)
    assert.deepEqual(new Set(events.map((event) => (event.kind === 'incident' ? event.incident.id : ''))), ids)

  const [id] = ids
  for (const { url } of cluster.replicas)
    for (const path of ['/readyz', `/api/admin/incidents/${id}`, '/api/admin/replicas', '/api/admin/stats'])
      assert.deepEqual([path, statuses(await everywhere(() => ask(url, path)))], [path, [200]])

  const forwarded = { headers: { 'X-Tocsin-Forwarded': '1' } }
  assert.deepEqual(statuses(await everywhere(() => ask(leader.url, '/api/admin/channels', forwarded))), [200])
  assert.deepEqual(statuses(await everywhere(() => ask(follower.url, '/api/admin/channels', forwarded))), [503])

  const { body } = await chat.waitFor((message) => message.body.includes('replica-1 0'))
  const link = /"url":"([^"]+)"/.exec(body)?.[1]?.slice(PUBLIC.length) ?? assert.fail(body)
  for (const { url } of cluster.replicas) assert.deepEqual(statuses(await everywhere(() => ask(url, link))), [200])
  assert.equal((await ask(follower.url, link, { method: 'POST', body: 'name=Ada', type: FORM })).status, 200)
  assert.match((await ask(leader.url, link)).text, /Ada/)

  await leader.end('SIGKILL')
  assert.deepEqual(statuses(await everywhere((nth) => raise(follower.url, `alone ${nth}`))), [201])
  // Ready, although no replica delivers for a while.
  const ready = new Set<number>()
  await until(
    async () => {
      for (const status of statuses(await everywhere(() => ask(follower.url, '/readyz')))) ready.add(status)
      return chat.requests.some(({ body: text }) => text.includes('alone 0'))
    },
    (arrived) => arrived,
  )
  assert.deepEqual([...ready], [200])
  assert.deepEqual(statuses(await everywhere(() => ask(follower.url, '/api/admin/incidents'))), [200])
})

const FORM = 'application/x-www-form-urlencoded'
