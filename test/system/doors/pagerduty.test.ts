import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const KEY = 'a-routing-key-of-kuma-1'

async function setup(t: TestContext, keys: object = { kuma: KEY }) {
  const system = await startTestSystem(t, configFile(folder(), { intake: { pagerduty: { routing_keys: keys } } }))
  const { url } = system
  const enqueue = async (body: unknown, path = '/v2/enqueue') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(url + path, { method: 'POST', body: text })
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as EventAnswer }
  }
  const send = (action: string, more: object = {}) =>
    enqueue({ routing_key: KEY, event_action: action, dedup_key: 'db-1', ...more })
  const incidents = async () => (await admin<IncidentPage>(url, '/api/admin/incidents')).incidents
  /** Returns the only problem once it has the state. Problems are listed up to 200 ms late. */
  const problemThat = async (state: string) => {
    const list = async () => (await admin<ProblemPage>(url, '/api/admin/problems')).problems
    const [problem = assert.fail()] = await until(list, (found) => found.length === 1 && found[0]?.state === state)
    return problem
  }
  const detail = (id: string) => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`)
  return { ...system, enqueue, send, incidents, problemThat, detail }
}

interface EventAnswer {
  readonly status: string
  readonly message: string
  readonly dedup_key?: string
  readonly errors?: readonly string[]
}

const PAYLOAD = { summary: 'Disk full', severity: 'critical', component: 'orders-db', custom_details: { team: 'shop' } }

test('a trigger is an incident without its key, a resolve has what the trigger said, both after the disk', async (t) => {
  const { send, incidents, detail } = await setup(t)
  const triggered = await send('trigger', { payload: PAYLOAD, client: 'monitor', routing_secret: 'kept' })
  assert.deepEqual(
    [triggered.status, triggered.json],
    [202, { status: 'success', message: 'Event processed', dedup_key: 'db-1' }],
  )
  assert.equal((await send('resolve')).status, 202)
  const [resolved = assert.fail(), fired = assert.fail()] = await incidents()
  for (const { title, service, severity, source, sender, fingerprint } of [resolved, fired])
    assert.deepEqual(
      [title, service, severity, source, sender, fingerprint],
      ['Disk full', 'orders-db', 'critical', 'pagerduty', 'pagerduty_event', 'pagerduty_event:kuma:db-1'],
    )
  assert.deepEqual([fired.reported_status, resolved.reported_status], ['firing', 'resolved'])
  const { content } = await detail(resolved.id)
  assert.deepEqual(content, {
    event_action: 'resolve',
    dedup_key: 'db-1',
    client: 'monitor',
    routing_secret: 'kept',
    integration: 'kuma',
    payload: PAYLOAD,
  })
  assert.equal(JSON.stringify(await detail(fired.id)).includes(KEY), false)
})

test('a trigger without a key gets one, which resolves it', async (t) => {
  const { enqueue, problemThat } = await setup(t)
  const { json } = await enqueue({ routing_key: KEY, event_action: 'trigger', payload: { summary: 'x' } })
  assert.match(json.dedup_key ?? '', /^[0-9a-f]{32}$/)
  assert.equal((await problemThat('firing')).severity, 'error')
  await enqueue({ routing_key: KEY, event_action: 'resolve', dedup_key: json.dedup_key })
  await problemThat('resolved')
})

test('an acknowledge right after the trigger acknowledges the problem in the name of the client', async (t) => {
  const { send, problemThat } = await setup(t)
  await send('trigger', { payload: PAYLOAD })
  assert.equal((await send('acknowledge', { client: 'Uptime Kuma' })).status, 202)
  assert.equal((await problemThat('firing')).acked_by, 'Uptime Kuma')
})

test('events that bring no incident', async (t) => {
  const { enqueue, send, incidents, url, log } = await setup(t)

  await t.test('an invalid event says everything that is wrong, and is not stored', async () => {
    const key = { routing_key: KEY }
    const cases: readonly [body: unknown, errors: RegExp][] = [
      ['not json', /not valid JSON/],
      ['[]', /must be a JSON object/],
      ['', /must be a JSON object/],
      [{ event_action: 'trigger' }, /routing_key is missing/],
      [key, /event_action must be one of/],
      [{ ...key, event_action: 'snooze' }, /event_action must be one of/],
      [{ ...key, event_action: 'trigger' }, /payload.summary is missing/],
      [{ ...key, event_action: 'trigger', payload: { summary: ' ' } }, /payload.summary is missing/],
      [
        { ...key, event_action: 'trigger', payload: 'text' },
        /payload must be an object; ?.*summary|payload must be an object/,
      ],
      [{ ...key, event_action: 'resolve' }, /dedup_key is missing/],
      [{ ...key, event_action: 'resolve', dedup_key: 7 }, /dedup_key must be a text/],
      [{ ...key, event_action: 'trigger', payload: PAYLOAD, dedup_key: 'k'.repeat(256) }, /at most 255/],
    ]
    for (const [body, expected] of cases) {
      const { status, json } = await enqueue(body)
      assert.deepEqual([status, json.status, json.message], [400, 'invalid event', 'Event object is invalid'])
      assert.match(json.errors?.join('; ') ?? '', expected)
    }
    assert.deepEqual(await incidents(), [])
  })

  await t.test('acknowledge and resolve of what does not fire change nothing and are counted', async () => {
    for (const action of ['acknowledge', 'resolve', 'resolve']) assert.equal((await send(action)).status, 202)
    assert.deepEqual(await incidents(), [])
    const { doors } = await admin<{ doors: readonly { name: string; ignored: object }[] }>(url, '/api/admin/doors')
    assert.deepEqual(doors.find(({ name }) => name === 'pagerduty')?.ignored, { not_firing: 3 })
  })

  await t.test('a wrong routing key is a 400 twenty times a minute, then a 429, also for the right key', async () => {
    const wrong = { routing_key: 'not-a-configured-key', event_action: 'trigger', payload: PAYLOAD }
    for (let at = 0; at < 20; at++) {
      const { status, json } = await enqueue(wrong)
      assert.deepEqual([status, json.errors], [400, ['routing_key is not one of the configured keys']])
    }
    const blocked = await send('trigger', { payload: PAYLOAD })
    assert.equal(blocked.status, 429)
    assert.ok(Number(blocked.headers.get('retry-after')) > 0)
    assert.equal(JSON.stringify(log.lines).includes('not-a-configured-key'), false)
  })
})

test('resolves that come together are one incident', async (t) => {
  const { send, incidents } = await setup(t)
  await send('trigger', { payload: PAYLOAD })
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('resolve', { payload: PAYLOAD })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
  assert.equal((await incidents()).length, 2)
})

test('without a key, and for other paths, the door is not there; a large event is refused', async (t) => {
  const { enqueue, send } = await setup(t)
  assert.equal((await enqueue({}, '/v2/change/enqueue')).status, 404)
  assert.equal((await send('trigger', { payload: { ...PAYLOAD, big: 'x'.repeat(512 * 1024) } })).status, 413)
  const closed = await setup(t, {})
  assert.equal((await closed.send('trigger', { payload: PAYLOAD })).status, 404)
})

test('what Uptime Kuma sends fires and resolves one problem, with and without a source', async (t) => {
  const { enqueue, problemThat } = await setup(t)
  const body = (event_action: string, summary: string, source?: string) => ({
    payload: { summary, severity: 'warning', source },
    routing_key: KEY,
    event_action,
    dedup_key: 'Uptime Kuma/7',
    client: 'Uptime Kuma',
    client_url: 'https://kuma.example.net/dashboard/7',
  })
  await enqueue(body('trigger', '[Uptime Kuma Monitor 🔴 Down] [shop] timeout', 'shop.example.net:443'))
  const down = await problemThat('firing')
  assert.deepEqual([down.state, down.service, down.severity], ['firing', 'shop.example.net:443', 'warning'])
  await enqueue(body('resolve', '[Uptime Kuma Monitor ✅ Up] [shop] 200 - OK'))
  await problemThat('resolved')
})
