import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { HeartbeatList } from '../../../src/api/noise/heartbeat.ts'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { startProvider } from '../../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post, SECRET } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const KEYS = { legacy: 'an-api-key-of-the-tests', other: 'another-key-of-the-tests' }

async function setup(t: TestContext, alert: object = {}, more: object = {}) {
  const system = await startTestSystem(
    t,
    configFile(folder(), { ...more, alert, intake: { opsgenie: { api_keys: KEYS } } }),
  )
  const { url } = system
  const call = async (method: string, path: string, body?: object, key: string = KEYS.legacy) => {
    const headers = { Authorization: `GenieKey ${key}` }
    const answer = await fetch(url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Answer }
  }
  const incidents = async () => (await admin<IncidentPage>(url, '/api/admin/incidents')).incidents
  const problem = async (is: (state: { state: string; acked_by: string | null }) => boolean) => {
    const list = async () => (await admin<ProblemPage>(url, '/api/admin/problems')).problems
    const [found = assert.fail()] = await until(list, (all) => all.length === 1 && all.every(is))
    return found
  }
  const ignored = async () => {
    const { doors } = await admin<{ doors: readonly { name: string; ignored: object }[] }>(url, '/api/admin/doors')
    return doors.find(({ name }) => name === 'opsgenie')?.ignored
  }
  const detail = (id: string) => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
  return { ...system, call, incidents, problem, ignored, detail }
}

interface Answer {
  readonly requestId: string
  readonly took: number
  readonly result?: string
  readonly message?: string
  readonly data?: { readonly [name: string]: unknown }
}

const ALERT = {
  message: 'The mail queue grows',
  alias: 'queue/mail 1',
  entity: 'mail-relay',
  priority: 'P1',
  tags: ['team:platform'],
  details: { host: 'mx-2' },
}
const ALIAS = encodeURIComponent(ALERT.alias)

test('create and close by alias are two incidents of one problem, the second with the words of the first', async (t) => {
  const { call, incidents, detail, ignored } = await setup(t)
  const created = await call('POST', '/v2/alerts', ALERT)
  assert.deepEqual([created.status, created.json.result], [202, 'Request will be processed'])
  assert.equal(created.headers.get('x-request-id'), created.json.requestId)
  assert.equal(created.headers.get('x-ratelimit-state'), 'OK')
  assert.ok(created.json.took > 0 && Number(created.headers.get('x-response-time')) > 0)

  const closed = await call('POST', `/v2/alerts/${ALIAS}/close?identifierType=alias`, { user: 'Ada', note: 'drained' })
  assert.equal(closed.status, 202)
  const [resolved = assert.fail(), fired = assert.fail()] = await incidents()
  assert.deepEqual([fired.id, resolved.id], [created.json.requestId, closed.json.requestId])
  for (const { title, service, severity, source, sender } of [fired, resolved])
    assert.deepEqual(
      [title, service, severity, source, sender],
      ['The mail queue grows', 'mail-relay', 'p1', 'opsgenie', 'opsgenie_alert'],
    )
  const own = { integration: 'legacy', action: 'close', user: 'Ada', note: 'drained' }
  assert.deepEqual((await detail(resolved.id)).content, { ...ALERT, ...own })

  assert.equal((await call('POST', `/v2/alerts/${ALIAS}/close?identifierType=alias`)).status, 202)
  assert.equal((await incidents()).length, 2)
  assert.deepEqual(await ignored(), { not_firing: 1 })
})

test('an alert is closed by its id, by its number and by an alias of any length', async (t) => {
  const { call, problem } = await setup(t)
  const alias = 'ä'.repeat(400)
  for (const close of ['id', 'tiny', 'alias'] as const) {
    const { json } = await call('POST', '/v2/alerts', { ...ALERT, alias })
    const { id: number } = await problem(({ state }) => state === 'firing')
    const name = { id: json.requestId, tiny: String(number), alias: encodeURIComponent(alias) }[close]
    assert.equal((await call('POST', `/v2/alerts/${name}/close?identifierType=${close}`)).status, 202)
    await problem(({ state }) => state === 'resolved')
  }
})

test('an alias of any length closes an alert whose incident retention has deleted', async (t) => {
  const storage = { file: { data_dir: folder(), max_incidents: 10 } }
  const { url, call } = await setup(t, {}, { storage, routes: [{ name: 'nobody', to: 'none' }] })
  const alias = 'ä'.repeat(400)
  const { json } = await call('POST', '/v2/alerts', { ...ALERT, alias })
  const others = Array.from({ length: 600 }, (_, nth) => ({ title: `other ${nth}`, status: 'resolved' }))
  await until(
    async () => {
      await post(url, others)
      return fetch(`${url}/api/admin/incidents/${json.requestId}`, { headers: { 'X-Gateway-Secret': SECRET } })
    },
    ({ status }) => status === 404,
  )
  const closed = await call('POST', `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`, {})
  assert.equal(closed.status, 202)
  await until(
    () => admin<ProblemPage>(url, '/api/admin/problems?status=firing'),
    ({ problems }) => problems.length === 0,
  )
})

test('the status of a request is that of its incident', async (t) => {
  const { call } = await setup(t)
  const { json } = await call('POST', '/v2/alerts', ALERT)
  const status = await until(
    () => call('GET', `/v2/alerts/requests/${json.requestId}`),
    (answer) => answer.status === 200,
  )
  const { processedAt, ...data } = status.json.data ?? {}
  assert.deepEqual(data, {
    isSuccess: true,
    action: 'Create',
    alertId: json.requestId,
    alias: ALERT.alias,
    status: 'Created alert',
  })
  assert.match(String(processedAt), /^\d{4}-/)
  const unknown = await call('GET', '/v2/alerts/requests/01a20e11-9ee8-797e-9347-0000000000ff')
  assert.deepEqual([unknown.status, unknown.headers.get('x-opsgenie-errortype')], [404, 'RequestNotProcessed'])
})

test('an acknowledgement has the name of the user, else of the source, else of the key', async (t) => {
  const { call, problem } = await setup(t)
  for (const [body, name] of [
    [{ user: 'Ada', source: 'script' }, 'Ada'],
    [{ source: 'script' }, 'script'],
    [undefined, 'legacy'],
  ] as const) {
    await call('POST', '/v2/alerts', ALERT)
    await problem(({ state, acked_by }) => state === 'firing' && acked_by === null)
    assert.equal((await call('POST', `/v2/alerts/${ALIAS}/acknowledge?identifierType=alias`, body)).status, 202)
    assert.equal((await problem(({ acked_by }) => acked_by !== null)).acked_by, name)
    await call('POST', `/v2/alerts/${ALIAS}/close?identifierType=alias`)
    await problem(({ state }) => state === 'resolved')
  }
})

test('a note goes to the thread of the message', async (t) => {
  const chat = await startProvider('chatws')
  t.after(() => chat.close())
  const chatws = { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST }
  const { call, incidents, ignored } = await setup(t, { chatws })
  const note = { note: 'the *disk* was full', user: 'Ada' }
  await call('POST', '/v2/alerts', ALERT)
  await until(incidents, ([only]) => only?.notify_status === 'sent')
  assert.equal((await call('POST', `/v2/alerts/${ALIAS}/notes?identifierType=alias`, note)).status, 202)
  const { body } = await chat.waitFor(({ body }) => body.includes('Noted by Ada'))
  assert.match(body, /The mail queue grows[\s\S]*the \S*disk\S* was full/)
  assert.match(body, /thread_ts/)
  assert.deepEqual(await ignored(), {})
})

test('updates of words have no effect, since the create before them had the same', async (t) => {
  const { call, incidents, ignored } = await setup(t)
  await call('POST', '/v2/alerts', ALERT)
  for (const part of ['message', 'description']) {
    const answer = await call('PUT', `/v2/alerts/${ALIAS}/${part}?identifierType=alias`, { [part]: 'x' })
    assert.equal(answer.status, 202)
  }
  assert.equal((await incidents()).length, 1)
  assert.deepEqual(await ignored(), { same_words: 2 })
})

test('parts of an alert without effect are warnings of its record, logged once for each integration', async (t) => {
  const { call, incidents, detail, log } = await setup(t)
  for (const alias of ['a', 'b'])
    await call('POST', '/v2/alerts', {
      ...ALERT,
      alias,
      responders: [{ type: 'team', name: 'ops' }],
      actions: ['Restart'],
    })
  const [first = assert.fail()] = await incidents()
  assert.deepEqual((await detail(first.id)).warnings, ['responders has no effect', 'actions has no effect'])
  assert.equal(log.lines.filter(({ message }) => message.includes('have no effect')).length, 1)
})

test('a key closes, acknowledges and reads alerts of its own integration alone', async (t) => {
  const { call, problem } = await setup(t)
  const { json } = await call('POST', '/v2/alerts', ALERT)
  const { id } = await problem(({ state }) => state === 'firing')
  for (const path of [
    `${ALIAS}/close?identifierType=alias`,
    `${json.requestId}/close`,
    `${id}/close?identifierType=tiny`,
  ]) {
    const answer = await call('POST', `/v2/alerts/${path}`, undefined, KEYS.other)
    assert.deepEqual([answer.status, answer.json.message], [404, 'Alert does not exist'])
  }
  assert.equal((await call('GET', `/v2/alerts/requests/${json.requestId}`, undefined, KEYS.other)).status, 404)
  await problem(({ state, acked_by }) => state === 'firing' && acked_by === null)
})

test('a ping of a heartbeat is its sign of life, whatever its method and body', async (t) => {
  const heartbeats = [{ name: 'nightly backup', slug: 'backup', every: '1h' }]
  const { call, url } = await setup(t, {}, { heartbeats })
  const state = async () => {
    const [only = assert.fail()] = (await admin<HeartbeatList>(url, '/api/admin/heartbeats')).heartbeats
    return only.last_signal
  }
  assert.equal(await state(), null)
  for (const [method, name] of [
    ['GET', 'backup'],
    ['POST', 'nightly%20backup'],
    ['PUT', 'backup'],
    ['PATCH', 'backup'],
  ] as const) {
    const answer = await call(method, `/v2/heartbeats/${name}/ping`)
    assert.deepEqual([answer.status, answer.json.result], [202, 'PONG - Heartbeat received'])
  }
  assert.equal((await call('GET', '/v2/heartbeats/other/ping')).status, 404)
  assert.notEqual(await state(), null)
})

test('an invalid request says what is wrong: 422, 401, 404', async (t) => {
  const { call, incidents } = await setup(t)
  const cases: readonly [method: string, path: string, body: object, status: number, message: RegExp][] = [
    ['POST', '/v2/alerts', {}, 422, /message is missing/],
    ['POST', '/v2/alerts', { ...ALERT, tags: 'x' }, 422, /tags must be a list/],
    ['POST', '/v2/alerts', { ...ALERT, details: ['x'] }, 422, /details must be an object/],
    ['POST', '/v2/alerts', { message: 7 }, 422, /message must be a text/],
    ['POST', '/v2/alerts', { ...ALERT, alias: 'a'.repeat(513) }, 422, /alias must have at most 512/],
    ['POST', '/v2/alerts', [ALERT], 422, /must be a JSON object/],
    ['POST', '/v2/alerts/x/notes?identifierType=alias', {}, 422, /note is missing/],
    ['POST', '/v2/alerts/x/close?identifierType=name', {}, 422, /identifierType/],
    ['POST', '/v2/alerts/x/close', {}, 404, /does not exist/],
    ['POST', '/v2/alerts/x/notes?identifierType=alias', { note: 'n' }, 404, /does not exist/],
  ]
  for (const [method, path, body, status, message] of cases) {
    const answer = await call(method, path, body)
    assert.equal(answer.status, status, path)
    assert.match(answer.json.message ?? '', message)
    assert.ok(answer.json.requestId !== '' && answer.json.took > 0)
  }
  assert.equal((await call('POST', '/v2/alerts', ALERT, 'a-key-nobody-configured')).status, 401)
  assert.deepEqual(await incidents(), [])
})
