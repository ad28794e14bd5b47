import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IncidentDetail, IncidentPage } from '../../../src/api/incident.ts'
import type { HeartbeatDetail, HeartbeatList } from '../../../src/api/noise/heartbeat.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const KEY = 'ping-key-0123456789'
const UUID = '0f5a9b1e-1111-4222-8333-123456789abc'
const RUN = '6d5f2b8e-2222-4333-8444-abcdefabcdef'

const HEARTBEATS = [
  { name: 'nightly backup', slug: 'nightly-backup', uuid: UUID, every: '1d', max_run: '2h', severity: 'high' },
  // Its name is the slug of another one.
  { name: 'report', match: { service: 'report' }, every: '1d' },
  { name: 'weekly report', slug: 'report', every: '7d' },
]

async function start(
  t: TestContext,
  config: Parameters<typeof configFile>[1] = { intake: { pings: { key: KEY } }, heartbeats: HEARTBEATS },
) {
  const { url } = await startTestSystem(t, configFile(folder(), config))
  const statusOf = async (path: string, init: RequestInit = {}) => (await fetch(`${url}${path}`, init)).status
  const heartbeats = async () => (await admin<HeartbeatList>(url, '/api/admin/heartbeats')).heartbeats
  const incidents = async () => (await admin<IncidentPage>(url, '/api/admin/incidents?source=heartbeat')).incidents
  return { url, statusOf, heartbeats, incidents }
}

test('pings come by uuid and by slug, with GET, HEAD and POST', async (t) => {
  const { url, statusOf, heartbeats } = await start(t)
  const answer = await fetch(`${url}/ping/${UUID.toUpperCase()}`)
  assert.deepEqual([answer.status, await answer.text(), answer.headers.get('ping-body-limit')], [200, 'OK', '10000'])
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
  assert.equal(await statusOf(`/ping/${UUID}`, { method: 'HEAD' }), 200)
  assert.equal(await statusOf(`/ping/${KEY}/nightly-backup/start?rid=${RUN}`), 200)
  assert.notEqual((await heartbeats())[0]?.running_since, null)
  assert.equal(await statusOf(`/ping/${KEY}/nightly-backup/0?rid=${RUN}`, { method: 'POST', body: 'done' }), 200)
  assert.equal(await statusOf(`/ping/${KEY}/report?create=1`), 200)
  const [backup, report, weekly] = await heartbeats()
  assert.deepEqual([backup?.running_since, backup?.last_signal], [null, 'success'])
  assert.notEqual(backup?.last_run_ms, null)
  assert.deepEqual([report?.heard_at, weekly?.last_signal], [null, 'success'])
  const detail = await admin<HeartbeatDetail>(url, '/api/admin/heartbeats/nightly%20backup')
  assert.deepEqual([detail.output, detail.output_bytes], ['done', 4])
})

test('a failure is an incident with its status and the begin of its output, and a success resolves it', async (t) => {
  const { url, statusOf, incidents } = await start(t)
  const body = `${'x'.repeat(9_999)}äöü`
  assert.equal(await statusOf(`/ping/${UUID}/3`, { method: 'POST', body }), 200)
  const [failed] = await until(incidents, (found) => found.length === 1)
  assert.deepEqual(
    [failed?.title, failed?.severity, failed?.status],
    ['Heartbeat nightly backup failed with 3', 'high', 'firing'],
  )
  const detail = await admin<IncidentDetail>(url, `/api/admin/incidents/${failed?.id}`)
  const payload = detail.content as unknown as { exit_status: number; output: string }
  assert.deepEqual([payload.exit_status, payload.output], [3, 'x'.repeat(9_999)])
  assert.equal(await statusOf(`/ping/${UUID}`), 200)
  const [resolved] = await until(incidents, (found) => found.length === 2)
  assert.deepEqual([resolved?.title, resolved?.reported_status], ['Heartbeat nightly backup is back', 'resolved'])
})

test('what no heartbeat has is 404, and after twenty of those 429', async (t) => {
  const { statusOf } = await start(t)
  assert.equal(await statusOf(`/ping/${UUID}/256`), 400)
  assert.equal(await statusOf(`/ping/${KEY}/Nightly-backup`), 400)
  assert.equal(await statusOf(`/ping/${UUID}?rid=1`), 400)
  assert.equal(await statusOf(`/ping/${UUID}/stop`), 404)
  assert.equal(await statusOf(`/ping/${UUID}`, { method: 'POST', body: Buffer.alloc(1_048_577) }), 413)
  assert.equal(await statusOf(`/ping/${RUN}`), 404)
  assert.equal(await statusOf(`/ping/${KEY}/other`), 404)
  for (let nth = 3; nth < 20; nth++) assert.equal(await statusOf(`/ping/not-the-key-at-all/nightly-backup`), 404)
  const codes = [await statusOf(`/ping/not-the-key-at-all/nightly-backup`), await statusOf(`/ping/${UUID}`)]
  assert.ok(codes.includes(429), `${codes}`)
})

test('without a key and a uuid the paths are unknown ones', async (t) => {
  const { url, statusOf } = await start(t, { heartbeats: [{ name: 'job', slug: 'job', every: '1d' }] })
  assert.equal(await statusOf(`/ping/${UUID}`), 404)
  const [here, other] = await Promise.all(
    ['/ping/a/job', '/nowhere'].map(async (path) => (await fetch(url + path)).text()),
  )
  assert.equal(here, other)
})
