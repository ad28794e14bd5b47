import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { admin, operate, post } from '../harness/net/requests.ts'
import { end, startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'

test('a paused channel is sent nothing, after kill -9 neither, and everything when it is resumed', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const file = configFile(folder(), { alert, log: { level: 'info' } })
  const first = await startProcess(t, file)
  assert.deepEqual(await act(first.url, 'chatws/pause'), { ok: true, name: 'chatws', paused: true })
  await post(first.url, { ServiceName: 'while-paused' })
  await flow.waitFor(({ body }) => body.includes('while-paused'))
  await end(first.child)

  const second = await startTestSystem(t, file)
  await post(second.url, { ServiceName: 'after-the-restart' })
  await flow.waitFor(({ body }) => body.includes('after-the-restart'))
  const { paused, backlog } = await channel(second.url, 'chatws')
  assert.deepEqual([paused, backlog.pending, backlog.sending, chat.requests.length], [true, 2, 0, 0])
  await act(second.url, 'chatws/resume')
  for (const name of ['while-paused', 'after-the-restart']) await chat.waitFor(({ body }) => body.includes(name))
  assert.equal((await channel(second.url, 'chatws')).paused, false)
})

test('a pause releases untried deliveries to the disk, and lets attempts under way end', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const gate = Promise.withResolvers<void>()
  chat.script = () => ({ after: gate.promise })
  const system = await startTestSystem(
    t,
    configFile(folder(), { alert: { chatws: { ...alert.chatws, concurrency: 1 } } }),
  )
  for (const name of ['first', 'second', 'third']) await post(system.url, { ServiceName: name })
  await chat.waitFor(() => true)
  await act(system.url, 'chatws/pause')
  gate.resolve()
  const found = await untilChannel(
    system.url,
    'chatws',
    ({ counters, backlog }) => counters.sent === 1 && backlog.sending === 0,
  )
  assert.deepEqual([found.backlog.pending, chat.requests.length], [2, 1])
  await act(system.url, 'chatws/resume')
  await chat.waitFor(({ body }) => body.includes('third'))
})

test('all channels are listed with counters, limits and the last error', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const chatws = { ...alert.chatws, other_channel_ids: { night: 'C2' } }
  const file = configFile(folder(), { alert: { ...alert, chatws } })
  const first = await startTestSystem(t, file)
  chat.next({ status: 500, body: 'tilt' })
  const id = (await post(first.url, { ServiceName: 'ledger' })).headers.get('x-incident-id')
  const found = await untilChannel(first.url, 'chatws', ({ counters }) => counters.sent === 1)
  assert.deepEqual(found.counters, { sent: 1, retried: 1, dead: 0, rendered_plain: 0 })
  assert.deepEqual([found.last_error?.detail, found.last_error?.incident_id], ['HTTP 500: tilt', id])
  assert.deepEqual(found.circuit, [{ destination: 'default', state: 'closed', retry_at: null }])
  assert.deepEqual([found.targets, found.limits], [['night'], { max: 12_000, unit: 'utf16' }])
  assert.deepEqual(await names(first.url), ['chatws', 'officechat'])
  await first.stop()

  const { last_error, last_sent_at } = await channel((await startTestSystem(t, file)).url, 'chatws')
  assert.deepEqual([last_error, last_sent_at], [found.last_error, found.last_sent_at])
})

test('a test message goes through one channel, is marked as a test, and is no incident', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  await act(system.url, 'chatws/pause')
  const { ok, message_id } = await act(system.url, 'chatws/test')
  assert.deepEqual([ok, message_id], [true, 'C1/1700000000.000001'])
  assert.match(chat.requests[0]?.text ?? '', /Tocsin test message/)
  assert.equal(flow.requests.length, 0)
  chat.next({ body: { ok: false, error: 'channel_not_found' } })
  const refused = await act(system.url, 'chatws/test')
  assert.deepEqual([refused.ok, refused.detail], [false, 'channel_not_found'])
  assert.deepEqual((await admin<{ total: number }>(system.url, '/api/admin/incidents')).total, 0)
})

test('an unknown channel cannot be paused or tested, nor a disabled one tested', async (t) => {
  const { alert } = await twoChannels(t)
  const system = await startTestSystem(t, configFile(folder(), { alert }))
  for (const [path, status] of [
    ['nosuch/pause', 404],
    ['nosuch/test', 404],
    ['msgapp/test', 400],
  ] as const)
    assert.equal((await ask(system.url, path)).status, status, path)
})

interface Channel {
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  readonly backlog: { readonly pending: number; readonly sending: number }
  readonly counters: { readonly sent: number }
  readonly last_error: { readonly detail: string; readonly incident_id: string } | null
  readonly last_sent_at: string | null
  readonly [field: string]: unknown
}

async function channels(url: string): Promise<readonly Channel[]> {
  return (await admin<{ channels: Channel[] }>(url, '/api/admin/channels')).channels
}

async function names(url: string): Promise<string[]> {
  const all = await channels(url)
  assert.equal(all.length, 8)
  return all.filter(({ enabled }) => enabled).map(({ name }) => name)
}

async function channel(url: string, name: string): Promise<Channel> {
  const found = (await channels(url)).find((each) => each.name === name)
  assert.ok(found)
  return found
}

function untilChannel(url: string, name: string, is: (channel: Channel) => boolean): Promise<Channel> {
  return until(() => channel(url, name), is)
}

function ask(url: string, path: string): Promise<Response> {
  return operate(`${url}/api/admin/channels/${path}`)
}

async function act(url: string, path: string): Promise<{ readonly [field: string]: unknown }> {
  const answer = await ask(url, path)
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as { [field: string]: unknown }
}
