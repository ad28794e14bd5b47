import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail } from '../../src/api/incident.ts'
import type { Received } from '../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../harness/config-file.ts'
import { admin, post, SECRET } from '../harness/net/requests.ts'
import { startProcess } from '../harness/process.ts'
import { startStandIn } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'
import { watchThreads } from '../harness/threads.ts'
import { until } from '../harness/until.ts'

const PUBLIC = 'https://tocsin.example.test'
const LONG = 30

test('the link of a message acknowledges once: the timer stops, and the chat thread and the record name the person', async (t) => {
  const { chat, alert } = await chatWithLinks(t)
  const { hook, file } = await paging(t, { wait_minutes: LONG }, alert)
  const system = await startTestSystem(t, file)
  const id = await create(system.url, 'ledger')
  const link = linkIn(await chat.waitFor(({ body }) => body.includes('ledger')))
  const url = system.url + link.slice(PUBLIC.length)
  await eventually(system.url, id, ({ deliveries }) => deliveries[0]?.state === 'sent')

  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(url, { method })).status, 200)
  assert.equal((await detailOf(system.url, id)).acked_at, null)
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Ada <b>' }) })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /Acknowledged by Ada &lt;b&gt;/)
  const { acked_by, oncall } = await detailOf(system.url, id)
  assert.deepEqual([acked_by, oncall?.state], ['Ada <b>', 'acknowledged'])
  const reply = await chat.waitFor(({ body }) => body.includes('thread_ts'))
  assert.match(reply.body, /Acknowledged by Ada &lt;b&gt;/)
  assert.doesNotMatch(reply.body, /"action_id"/)

  const again = await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Bob' }) })
  assert.equal(again.status, 409)
  assert.match(await again.text(), /Already acknowledged by Ada/)
  assert.equal((await detailOf(system.url, id)).acked_by, 'Ada <b>')
  assert.deepEqual(hook.requests, [])
})

test('with on-call off, messages of incidents that page have a link that works, and others have none', async (t) => {
  const { chat, alert } = await chatWithLinks(t)
  const { hook, file } = await paging(t, { enable: false, wait_minutes: LONG }, alert)
  const system = await startTestSystem(t, file)
  const quiet = await create(system.url, 'quiet')
  const id = await create(system.url, 'loud', '?oncall_enable=true')
  const link = linkIn(await chat.waitFor(({ body }) => body.includes('loud')))
  assert.ok(link.startsWith(`${PUBLIC}/api/ack/${id}?`), link)
  const silent = await chat.waitFor(({ body }) => body.includes('quiet'))
  assert.match(silent.body, /ack= end/)
  assert.equal(linkIn(silent), '')
  const url = system.url + link.slice(PUBLIC.length)
  assert.equal((await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) })).status, 200)
  const { acked_by, oncall } = await detailOf(system.url, id)
  assert.deepEqual([acked_by, oncall?.state, hook.requests.length], ['Ada', 'acknowledged', 0])
  assert.equal((await detailOf(system.url, quiet)).oncall, null)
})

test('links that were changed, are of another incident, of another service or too old are refused with a page', async (t) => {
  const { chat, alert } = await chatWithLinks(t)
  const { file } = await paging(t, { wait_minutes: LONG }, alert)
  const system = await startTestSystem(t, file)
  const ids = [await create(system.url, 'ledger'), await create(system.url, 'basket')]
  const [own, other] = await Promise.all(
    ['ledger', 'basket'].map(async (name) => linkIn(await chat.waitFor(({ body }) => body.includes(name)))),
  )
  const foreign = own?.replace(/sig=\w+/, `sig=${'0'.repeat(64)}`)
  const links = [own?.replace(/exp=\d+/, 'exp=9999999999'), foreign, own?.split('?')[0], `${own}&exp=1`]
  links.push(`${own?.split('?')[0]}?${other?.split('?')[1]}`)
  for (const link of links)
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(system.url + link?.slice(PUBLIC.length), { method })
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [403, 'text/html; charset=utf-8'], link)
    }
  const typed = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Ada"}' }
  assert.equal((await fetch(system.url + own?.slice(PUBLIC.length), typed)).status, 415)
  for (const id of ids) assert.equal((await detailOf(system.url, id)).acked_at, null)
})

test('an operator acknowledges and resolves with a name, and a provider that has paged gets both', async (t) => {
  const { hook, file } = await paging(t, { wait_minutes: 0 })
  const system = await startTestSystem(t, file)
  const id = await create(system.url, 'ledger')
  await eventually(system.url, id, ({ oncall_triggered }) => oncall_triggered)
  const answer = await operate(system.url, `${id}/ack`, { by: 'Ada' })
  const { ok, already, acked_by } = (await answer.json()) as { [field: string]: unknown }
  assert.deepEqual([ok, already, acked_by], [true, false, 'Ada'])
  const acknowledge = bodyOf(await hook.waitFor((request) => bodyOf(request).event === 'acknowledge'))
  assert.deepEqual([acknowledge.acknowledged_by, acknowledge.incident.id], ['Ada', id])
  assert.equal((await operate(system.url, `${id}/resolve`)).status, 200)
  const { dedup_key } = bodyOf(await hook.waitFor((request) => bodyOf(request).event === 'resolve'))
  assert.equal(dedup_key, acknowledge.dedup_key)
  assert.equal((await operate(system.url, `${id}/ack`, { by: ['Ada'] })).status, 400)
})

test('a refused page is reported through a channel', async (t) => {
  const { chat, alert } = await chatWithLinks(t)
  const { hook, file } = await paging(t, { wait_minutes: 0 }, alert)
  hook.script = () => ({ status: 400, body: 'no' })
  const system = await startTestSystem(t, file)
  const id = await create(system.url, 'ledger')
  await chat.waitFor(({ body }) => body.includes('Nobody was woken for an incident') && body.includes('HTTP 400: no'))
  assert.equal((await detailOf(system.url, id)).oncall_error, 'HTTP 400: no')
})

test('kill -9 between page and record: it is paged again, with the same dedup key', async (t) => {
  const { hook, file } = await paging(t, { wait_minutes: 0 })
  hook.next({ hang: true })
  const first = await startProcess(t, file)
  const id = await create(first.url, 'ledger')
  const before = bodyOf(await hook.waitFor(() => true))
  first.child.kill('SIGKILL')
  const second = await startProcess(t, file)
  await hook.waitFor(() => hook.requests.length === 2)
  const after = bodyOf(hook.requests[1])
  assert.deepEqual([after.dedup_key, after.incident.id], [before.dedup_key, id])
  const { oncall } = await eventually(second.url, id, ({ oncall_triggered }) => oncall_triggered)
  assert.equal(oncall?.attempts.at(-1)?.may_duplicate, true)
})

test('the send thread dies while it pages: it is paged again', async (t) => {
  const threads = watchThreads(t)
  const { hook, file } = await paging(t, { wait_minutes: 0 })
  hook.next({ hang: true })
  const system = await startTestSystem(t, file)
  const id = await create(system.url, 'ledger')
  await hook.waitFor(() => true)
  await threads.get('send')?.terminate()
  await eventually(system.url, id, ({ oncall_triggered }) => oncall_triggered)
  assert.equal(hook.requests.length, 2)
})

test('a reload swaps the provider, and one that disables on-call ends all pages', async (t) => {
  const { hook, file, dir } = await paging(t, { wait_minutes: LONG })
  const pagerduty = await startStandIn(t, 'pagerduty')
  const system = await startTestSystem(t, file)
  const id = await create(system.url, 'armed')
  const oncall = { provider: 'pagerduty', pagerduty: { routing_key: 'key-of-the-tests', api_url: pagerduty.url } }
  await system.reloadFrom(configFile(dir, { oncall: { enable: true, wait_minutes: 0, ...oncall } }))
  await create(system.url, 'paged')
  const { json } = await pagerduty.waitFor(() => true)
  assert.equal((json as { event_action: string }).event_action, 'trigger')
  assert.equal((await detailOf(system.url, id)).oncall?.state, 'armed')
  await system.reloadFrom(configFile(dir, { oncall: { enable: false, ...oncall } }))
  assert.equal((await detailOf(system.url, id)).oncall?.state, 'cancelled')
  assert.equal((await detailOf(system.url, await create(system.url, 'later'))).oncall, null)
  assert.deepEqual([hook.requests.length, pagerduty.requests.length], [0, 1])
})

interface PageBody {
  readonly event: string
  readonly dedup_key: string
  readonly acknowledged_by?: string
  readonly incident: { readonly id: string }
}
const bodyOf = (request: Received | undefined) => request?.json as PageBody

async function paging(t: TestContext, oncall: object, alert: object = {}) {
  const hook = await startStandIn(t, 'webhook')
  const dir = folder()
  const file = configFile(dir, {
    alert,
    public_host: PUBLIC,
    log: { level: 'info' },
    oncall: { enable: true, provider: 'webhook', webhook: { url: `${hook.url}/page`, secret: 's3cret' }, ...oncall },
  })
  return { hook, file, dir }
}

/** Starts a chat stand-in, with a template that prints the acknowledge link. */
async function chatWithLinks(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const template_path = join(folder(), 'chat.tmpl')
  writeFileSync(template_path, '{{ .ServiceName }} ack={{ .AckURL }} end\n')
  const line = { token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST }
  return { chat, alert: { chatws: { enable: true, template_path, ...line } } }
}

/** Returns the link of the button; the one in the text is escaped. */
function linkIn({ body }: Received): string {
  return /"url":"([^"]+)"/.exec(body)?.[1] ?? ''
}

async function create(url: string, ServiceName: string, query = ''): Promise<string> {
  const answer = await post(url, { ServiceName, severity: 'critical' }, {}, query)
  assert.equal(answer.status, 201)
  return answer.headers.get('x-incident-id') ?? ''
}

function operate(url: string, path: string, body?: object): Promise<Response> {
  const headers = { 'X-Gateway-Secret': SECRET, ...(body && { 'Content-Type': 'application/json' }) }
  const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) }
  return fetch(`${url}/api/admin/incidents/${path}`, init)
}

const detailOf = (url: string, id: string) => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)

function eventually(url: string, id: string, is: (detail: IncidentDetail) => boolean): Promise<IncidentDetail> {
  return until(() => detailOf(url, id), is)
}
