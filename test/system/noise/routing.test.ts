import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { Provider } from '../../../src/simulator/index.ts'
import { configFile, folder, type Overrides } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startStandIn, twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

/** Two channels and a pager; the chat has two other destinations. */
async function routed(t: TestContext) {
  const { chat, flow, alert } = await twoChannels(t)
  const hook = await startStandIn(t, 'webhook')
  const dir = folder()
  const chatws = { ...alert.chatws, other_channel_ids: { payments: 'C2', ops: 'C3' } }
  const oncall = { enable: false, wait_minutes: 0, provider: 'webhook', webhook: { url: hook.url } }
  const fileOf = (routes: readonly object[], over: Overrides = {}) =>
    configFile(dir, { alert: { ...alert, chatws }, oncall, routes, ...over })
  return { chat, flow, hook, dir, fileOf }
}

/** Chats that an incident's message went to, once all its deliveries are concluded. */
async function placesOf(url: string, id: string, chat: Provider, flow: Provider): Promise<string[]> {
  const { title } = await until(
    () => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`),
    ({ notify_status }) => notify_status !== 'pending',
  )
  const chats = chat.requests.filter(({ body }) => body.includes(title)).map(({ body }) => JSON.parse(body).channel)
  const flows = flow.requests.filter(({ body }) => body.includes(title)).map(() => 'flow')
  return [...chats, ...flows].sort()
}

async function create(url: string, payload: object, query = ''): Promise<string> {
  const answer = await fetch(`${url}/api/incidents${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  })
  assert.equal(answer.status, 201, await answer.text())
  return answer.headers.get('x-incident-id') ?? ''
}

const ROUTES = [
  { name: 'payments', match: { service: 'pay*' }, to: ['chatws', { chatws: 'payments' }] },
  { name: 'team', match: { 'labels.team': 'ops' }, to: [{ chatws: 'ops' }] },
  { name: 'chatter', match: { severity: ['info', 'debug'] }, to: 'none' },
]

test('messages go where the first rule that matches says, and without one to every channel', async (t) => {
  const { chat, flow, fileOf } = await routed(t)
  const { url } = await startTestSystem(t, fileOf(ROUTES))
  const cases: readonly [payload: object, query: string, places: readonly string[]][] = [
    [{ title: 'first case', service: 'payments' }, '', ['C1', 'C2']],
    [{ title: 'second case', service: 'web', labels: { team: 'ops' } }, '', ['C3']],
    [{ title: 'third case', service: 'web', severity: 'info' }, '', []],
    [{ title: 'fourth case', service: 'web' }, '', ['C1', 'flow']],
    [{ title: 'fifth case', service: 'payments' }, '?chatws_other_channel_id=ops', ['C3']],
  ]
  for (const [payload, query, places] of cases) {
    const id = await create(url, payload, query)
    assert.deepEqual(await placesOf(url, id, chat, flow), places, JSON.stringify(payload))
  }
})

test('rules are those of the configuration that is loaded, without a restart', async (t) => {
  const { chat, flow, fileOf } = await routed(t)
  const system = await startTestSystem(t, fileOf([]))
  const before = await create(system.url, { title: 'before it', service: 'payments' })
  assert.deepEqual(await placesOf(system.url, before, chat, flow), ['C1', 'flow'])
  await system.reloadFrom(fileOf(ROUTES))
  const after = await create(system.url, { title: 'after it', service: 'payments' })
  assert.deepEqual(await placesOf(system.url, after, chat, flow), ['C1', 'C2'])
})

test('a rule pages although the others do not, and its messages have a link to acknowledge', async (t) => {
  const { chat, hook, fileOf } = await routed(t)
  const routes = [{ name: 'page', match: { service: 'ledger' }, oncall: { enable: true } }]
  const { url } = await startTestSystem(t, fileOf(routes, { public_host: 'https://tocsin.example.test' }))
  await create(url, { title: 'quiet one', service: 'web' })
  await create(url, { title: 'loud one', service: 'ledger' })
  const { body } = await hook.waitFor(() => true)
  assert.equal(JSON.parse(body).incident.title, 'loud one')
  const message = await chat.waitFor((request) => request.body.includes('loud one'))
  assert.match(message.body, /https:\/\/tocsin\.example\.test\/api\/ack\//)
  assert.equal(hook.requests.length, 1)
})

test('the template of a rule is used, also after a restart, and is watched', async (t) => {
  const { chat, dir, fileOf } = await routed(t)
  const template = join(dir, 'payments.tmpl')
  writeFileSync(template, 'first text {{.title}}')
  const [payments] = ROUTES
  const file = fileOf([{ ...payments, to: [{ chatws: 'payments' }], templates: { chatws: template } }])
  const first = await startTestSystem(t, file)
  await admin(first.url, '/api/admin/channels/chatws/pause', 'POST')
  await create(first.url, { title: 'kept', service: 'payments' })
  await first.stop()

  const second = await startTestSystem(t, file)
  await admin(second.url, '/api/admin/channels/chatws/resume', 'POST')
  await chat.waitFor(({ body }) => body.includes('first text kept'))
  writeFileSync(template, 'second text {{.title}}')
  await until(
    async () => {
      await create(second.url, { title: 'new', service: 'payments' })
      return chat.requests
    },
    (requests) => requests.some(({ body }) => body.includes('second text new')),
    { everyMs: 200 },
  )
  await create(second.url, { title: 'another', service: 'web' })
  const own = await chat.waitFor(({ body }) => body.includes('another'))
  assert.doesNotMatch(own.body, /second text/)
})
