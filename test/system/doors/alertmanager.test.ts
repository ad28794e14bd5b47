import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ProblemDetail, ProblemPage } from '../../../src/api/noise/problem.ts'
import { alertNews, postAlerts } from '../../harness/alerts.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, operate, SECRET } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const TYPE = { 'Content-Type': 'application/json' }
const DOWN = { labels: { alertname: 'Down', severity: 'critical' }, forMs: 240_000 }

test('an alert that Prometheus posts is one problem until it is resolved, and shows who reports it', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  for (let times = 0; times < 3; times++) {
    const answer = await postAlerts(url, [DOWN])
    assert.deepEqual([answer.status, await answer.text()], [200, ''])
  }
  await until(
    () => alertNews(url),
    (news) => news.length === 1,
  )
  const { problems } = await until(
    () => admin<ProblemPage>(url, '/api/admin/problems'),
    ({ problems }) => problems.length === 1,
  )
  assert.deepEqual(
    problems.map(({ title, source, severity, ends_at }) => [title, source, severity, ends_at]),
    [['Down', 'alertmanager', 'critical', null]],
  )
  const { claims } = await admin<ProblemDetail>(url, `/api/admin/problems/${problems[0]?.id}`)
  assert.deepEqual(
    claims?.map(({ sender }) => sender),
    ['http://prometheus-a:9090 127.0.0.1'],
  )
  await postAlerts(url, [{ ...DOWN, forMs: -1_000 }])
  assert.deepEqual(
    await until(
      () => alertNews(url),
      (news) => news.length === 2,
    ),
    ['Down firing', 'Down resolved'],
  )
})

test('an alert whose problem or incident a person resolved brings nothing while it is muted', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  const other = { ...DOWN, labels: { alertname: 'Slow' } }
  await postAlerts(url, [DOWN, other])
  const { problems } = await until(
    () => admin<ProblemPage>(url, '/api/admin/problems'),
    ({ problems }) => problems.length === 2,
  )
  const [first, second] = problems
  assert.equal((await operate(`${url}/api/admin/problems/${first?.id}/resolve`, {})).status, 200)
  assert.equal((await operate(`${url}/api/admin/incidents/${second?.last_incident_id}/resolve`, {})).status, 200)
  await postAlerts(url, [DOWN, other])
  assert.equal((await alertNews(url)).length, 2)
})

test('refusals are JSON strings, as those of Alertmanager', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder()))
  const send = async (body: string | Buffer, headers: { [name: string]: string } = TYPE) => {
    const answer = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body })
    return [answer.status, JSON.parse((await answer.text()) || '""')]
  }
  assert.deepEqual(await send('{'), [
    400,
    'the request body is not valid JSON: close brace expected at line 1, column 2 (byte 1)',
  ])
  assert.deepEqual(await send('{}'), [400, 'the body must be a JSON list of alerts'])
  assert.deepEqual(await send('[1]'), [400, 'alert 0 is no JSON object'])
  assert.deepEqual(await send('[]', { 'Content-Type': 'text/plain' }), [
    415,
    'the Content-Type must be application/json',
  ])
  assert.deepEqual(await send('[]'), [200, ''])
  const [status, text] = await send(JSON.stringify([{ labels: {} }, { labels: { alertname: 'Good' } }]))
  assert.deepEqual([status, text], [400, 'alert 0: it has no label with a value'])
  const packed = gzipSync(JSON.stringify([{ labels: { alertname: 'Packed' } }]))
  assert.deepEqual(await send(packed, { ...TYPE, 'Content-Encoding': 'gzip' }), [200, ''])
  assert.deepEqual(
    await until(
      () => alertNews(url),
      (news) => news.length === 2,
    ),
    ['Good firing', 'Packed firing'],
  )
})

test('alerts need the intake token where there is one; the gateway secret opens the door too', async (t) => {
  const file = configFile(folder(), { http: { intake_token: 'token-of-the-intake' } })
  const { url } = await startTestSystem(t, file)
  const statusWith = async (headers: { [name: string]: string }) => (await postAlerts(url, [DOWN], headers)).status
  const basic = (password: string) => `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`
  assert.equal(await statusWith({}), 401)
  assert.equal(await statusWith({ Authorization: 'Bearer wrong' }), 401)
  assert.equal(await statusWith({ Authorization: 'Bearer token-of-the-intake' }), 200)
  assert.equal(await statusWith({ Authorization: basic('token-of-the-intake') }), 200)
  assert.equal(await statusWith({ 'X-Gateway-Secret': SECRET }), 200)
})

test('a door that a reload turns off answers like an unknown path', async (t) => {
  const dir = folder()
  const { url, reloadFrom } = await startTestSystem(t, configFile(dir))
  assert.equal((await postAlerts(url, [])).status, 200)
  await reloadFrom(configFile(dir, { intake: { alertmanager: { enable: false } } }))
  assert.equal((await postAlerts(url, [])).status, 404)
})

test('wrong keys of a neighbour keep no alerts out that come with the intake token', async (t) => {
  const token = 'token-of-the-intake'
  const { url } = await startTestSystem(t, configFile(folder(), { http: { intake_token: token } }))
  const send = async (key: string) => (await postAlerts(url, [DOWN], { Authorization: `Bearer ${key}` })).status
  const wrong: number[] = []
  for (let times = 0; times < 21; times++) wrong.push(await send(`wrong${times}`))
  assert.deepEqual([wrong.slice(0, 20).every((status) => status === 401), wrong[20]], [true, 429])
  assert.deepEqual([await send(token), await send(SECRET)], [200, 429])
})
