import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { tailOf } from '../harness/net/tail.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { watchThreads } from '../harness/threads.ts'

test('an incident is published when it is on disk, and each of its deliveries when it is settled', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  const { events, until } = await tailOf(t, url)
  let asked = 0
  chat.script = () => (++asked === 1 ? { status: 503 } : undefined)
  const answer = await post(url, {
    ServiceName: 'ledger',
    severity: 'critical',
    nested: { UserID: 'the payload stays here' },
  })
  const id = answer.headers.get('x-incident-id')
  await until((all) => all.filter((each) => each.kind === 'delivery').length === 3)
  const [first] = events
  assert.ok(first?.kind === 'incident')
  assert.deepEqual([first.incident.id, first.incident.severity, first.incident.source], [id, 'critical', 'webhook'])
  const deliveries = events.flatMap((event) => (event.kind === 'delivery' ? event : []))
  const chats = deliveries.filter(({ channel }) => channel === 'chatws')
  assert.deepEqual(
    chats.map(({ state, attempt, next_attempt_at }) => [state, attempt, next_attempt_at === null]),
    [
      ['pending', 1, false],
      ['sent', 2, true],
    ],
  )
  assert.ok(deliveries.every(({ incident_id, severity }) => incident_id === id && severity === 'critical'))
  assert.ok(
    chats.every(({ state, accept_to_confirmed_ms }) => (state === 'sent') === (accept_to_confirmed_ms !== null)),
  )
  const text = JSON.stringify(events)
  for (const secret of [SECRET, 'xoxb-test', 'sig=test', 'the payload stays here']) assert.ok(!text.includes(secret))
  assert.deepEqual(
    events.map((event) => event.id).sort(),
    events.map((event) => event.id),
  )
})

test('events of two deliveries through one channel name their destinations', async (t) => {
  const { alert } = await twoChannels(t)
  const chatws = { ...alert.chatws, other_channel_ids: { payments: 'C2' } }
  const routes = [{ name: 'both', to: ['chatws', { chatws: 'payments' }] }]
  const { url } = await startTestSystem(t, configFile(folder(), { alert: { chatws }, routes }))
  const { events, until } = await tailOf(t, url, '&kinds=delivery')
  await post(url, { ServiceName: 'ledger' })
  await until((all) => all.length === 2)
  assert.deepEqual(events.map((event) => event.kind === 'delivery' && event.target).sort(), [null, 'payments'])
})

test('the tail goes on when all threads have been replaced by a reload', async (t) => {
  const { alert } = await twoChannels(t)
  const dir = folder()
  const service = await startTestSystem(t, configFile(dir, { alert }))
  const { until } = await tailOf(t, service.url, '&kinds=incident,delivery&channel=chatws')
  const delivered = (count: number) =>
    until((events) => events.filter((event) => event.kind === 'delivery' && event.state === 'sent').length === count)
  await post(service.url, { ServiceName: 'before' })
  await delivered(1)
  const { chatws } = alert
  await service.reloadFrom(configFile(dir, { alert: { chatws: { ...chatws, mailbox: 7 } } }))
  await post(service.url, { ServiceName: 'after' })
  await delivered(2)
})

test('incidents that a dead store thread committed and did not apply are published by the next one', async (t) => {
  const dir = folder()
  const threads = watchThreads(t)
  const { url } = await startTestSystem(t, configFile(dir))
  const { events, until } = await tailOf(t, url, '&kinds=incident')
  await threads.get('store')?.terminate()
  for (const title of ['left behind', 'this too']) await post(url, { title })
  await until(({ length }) => length === 2)
  const titles = events.map((event) => event.kind === 'incident' && event.incident.title)
  assert.deepEqual(titles, ['left behind', 'this too'])
})

test('statistics are published every second, in the form of GET /api/admin/stats', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  const { stats, until } = await tailOf(t, url, '&kinds=stats')
  await until(() => stats.length === 2)
  assert.deepEqual(Object.keys(stats[1] as object), Object.keys(await admin<object>(url, '/api/admin/stats')))
})

test('the service stops with clients connected, and closes them with 1001', async (t) => {
  const service = await startTestSystem(t, configFile(folder()))
  const { closed } = await tailOf(t, service.url)
  await service.stop()
  assert.equal(await closed, 1001)
})
