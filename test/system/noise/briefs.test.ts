import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PatternPage } from '../../../src/api/agent/pattern.ts'
import type { Brief, ChangeList, NoteList, NoteRecord } from '../../../src/api/brief.ts'
import { configFile, folder, type Overrides } from '../../harness/config-file.ts'
import { admin, operate, post } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const TOKEN = 'intake-token-of-the-tests'
const KEY = 'a-routing-key-of-kuma-1'
const CONFIG = {
  brief: { enable: true },
  http: { intake_token: TOKEN },
  intake: { pagerduty: { routing_keys: { kuma: KEY } } },
}

async function start(t: Parameters<typeof startTestSystem>[0], config: Overrides = CONFIG) {
  const { url } = await startTestSystem(t, configFile(folder(), config))
  const change = (body: unknown, token = TOKEN) =>
    fetch(`${url}/api/changes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const incident = async (payload: object) => {
    const answer = await post(url, payload, { authorization: `Bearer ${TOKEN}` })
    assert.equal(answer.status, 201)
    return answer.headers.get('x-incident-id') ?? ''
  }
  return { url, change, incident }
}

test('the brief of a problem has its notes, changes and links, by its number and by an incident', async (t) => {
  const { url, change, incident } = await start(t)
  assert.equal((await operate(`${url}/api/admin/problems/1/brief`, undefined, 'GET')).status, 404)
  const id = await incident({
    ServiceName: 'pay',
    title: 'Card declines',
    annotations: { runbook_url: 'https://runbooks.example.net/card', link: 'javascript:alert(1)' },
  })
  const stored = await change({ summary: 'pay 4.12.0 deployed', service: 'pay', kind: 'deploy', id: 'd-1' })
  assert.deepEqual([stored.status, await stored.json()], [201, { id: 1 }])
  assert.deepEqual(await (await change({ summary: 'again', id: 'd-1' })).json(), { id: 1 })
  const path = `/api/admin/problems/${id}`
  const written = await operate(`${url}${path}/notes`, { text: 'the bank was down', by: 'Ada' })
  assert.equal(written.status, 200)
  const acked = await operate(`${url}/api/admin/problems/1/ack`, { by: 'Ada', note: 'I look' })
  assert.equal(acked.status, 200)
  assert.equal((await operate(`${url}/api/admin/incidents/${id}/resolve`, { note: 'over' })).status, 200)
  const brief = await until(
    () => admin<Brief>(url, `${path}/brief`),
    ({ problem }) => problem.opening === 1 && problem.state === 'resolved',
  )
  assert.deepEqual(
    brief.notes.map(({ by, text }) => [by, text]),
    [
      ['an operator', 'over'],
      ['Ada', 'I look'],
      ['Ada', 'the bank was down'],
    ],
  )
  assert.deepEqual(
    brief.changes.map(({ summary, kind }) => [summary, kind]),
    [['pay 4.12.0 deployed', 'deploy']],
  )
  assert.deepEqual(
    [brief.runbook, brief.late, brief.problem.acked_by],
    [['https://runbooks.example.net/card'], [], 'Ada'],
  )
  assert.deepEqual((await admin<Brief>(url, '/api/admin/problems/1/brief?opening=1')).before.count, 0)
  for (const wrong of ['/api/admin/problems/9/brief', '/api/admin/problems/1/brief?opening=9'])
    assert.equal((await operate(url + wrong, undefined, 'GET')).status, 404)
  const note = (await written.json()) as NoteRecord
  assert.equal((await operate(`${url}/api/admin/notes/${note.id}`, undefined, 'DELETE')).status, 200)
  assert.equal((await operate(`${url}/api/admin/notes/${note.id}`, undefined, 'DELETE')).status, 404)
  assert.equal((await admin<NoteList>(url, '/api/admin/problems/1/notes')).notes.length, 2)
  assert.equal((await operate(`${url}${path}/notes`, { text: 'x'.repeat(2_001) })).status, 400)
})

test('changes need the intake token, are what they must be, and no more than 10 come in a second', async (t) => {
  const { url, change } = await start(t)
  assert.equal((await change({ summary: 'x' }, 'wrong-token-of-the-tests')).status, 401)
  for (const wrong of [
    {},
    { summary: 3 },
    { summary: 'x', link: 'javascript:x' },
    { summary: 'x', at: 'yesterday' },
    [],
  ])
    assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong))
  const event = await fetch(`${url}/v2/change/enqueue`, {
    method: 'POST',
    body: JSON.stringify({
      routing_key: KEY,
      payload: { summary: 'Build 7', source: 'ci', timestamp: '2026-01-31T12:00:00.000+0000' },
      links: [{ href: 'https://ci.example.net/7', text: 'build' }],
    }),
  })
  assert.equal(event.status, 202)
  const [stored] = (await admin<ChangeList>(url, '/api/admin/changes')).changes
  assert.deepEqual(
    [stored?.summary, stored?.service, stored?.link, stored?.at],
    ['Build 7', 'ci', 'https://ci.example.net/7', '2026-01-31T12:00:00.000Z'],
  )
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await change({ summary: 'many' })).status),
  )
  assert.ok(statuses.includes(429) && statuses.includes(201))
})

test('without brief.enable there is no brief, no note and no change', async (t) => {
  const { url, change, incident } = await start(t, { http: { intake_token: TOKEN } })
  const id = await incident({ ServiceName: 'pay', title: 'Card declines' })
  assert.equal((await change({ summary: 'x' })).status, 404)
  assert.equal((await operate(`${url}/api/admin/problems/${id}/brief`, undefined, 'GET')).status, 404)
  assert.equal((await operate(`${url}/api/admin/incidents/${id}/ack`, { note: 'x' })).status, 400)
  assert.equal((await operate(`${url}/api/admin/incidents/${id}/ack`, {})).status, 200)
})

test('the brief has the new log patterns of the service, if the log agent reads them', async (t) => {
  const path = join(folder(), 'app.log')
  writeFileSync(path, 'ERROR bank B: connection refused\n')
  const { url, incident } = await start(t, {
    ...CONFIG,
    agent: {
      enable: true,
      poll_interval: '100ms',
      sources: [{ name: 'app', type: 'file', file: { path, from_beginning: true } }],
    },
  })
  const { patterns } = await until(
    () => admin<PatternPage>(url, '/api/agent/patterns'),
    (page) => page.patterns.length > 0,
  )
  const [pattern = assert.fail()] = patterns
  const id = await incident({ ServiceName: pattern.service, title: 'Card declines' })
  await incident({ ServiceName: 'other', title: 'Refunds are slow' })
  const { logs, problem } = await admin<Brief>(url, `/api/admin/problems/${id}/brief`)
  assert.equal(problem.service, pattern.service)
  assert.deepEqual(
    logs.map(({ pattern: of, text, count }) => [of, text, count]),
    [[pattern.id, pattern.template, 1]],
  )
  assert.deepEqual((await admin<Brief>(url, '/api/admin/problems/2/brief')).logs, [])
})
