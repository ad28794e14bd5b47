import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { IncidentPage } from '../../src/api/incident.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'
import { until } from '../harness/until.ts'
import { ended, startAlertmanager } from './rig.ts'

const KEY = 'a-key-of-the-alertmanager'
const ALERT = {
  labels: { alertname: 'ReplicaLagHigh', severity: 'critical', service: 'ledger' },
  annotations: { summary: 'The replica of the ledger falls behind' },
}

/** Receivers of a real Alertmanager, by what they write to. */
const RECEIVERS = {
  pagerduty: (url: string, key: string) => ({
    pagerduty_configs: [{ routing_key: key, url: `${url}/v2/enqueue`, severity: '{{ .CommonLabels.severity }}' }],
  }),
  opsgenie: (url: string, key: string) => ({
    opsgenie_configs: [{ api_key: key, api_url: `${url}/`, priority: 'P1', update_alerts: true }],
  }),
}

/** A proxy in front of Tocsin that answers the first requests 503, and keeps what was asked. */
async function startProxy(t: TestContext, target: string, refusals: number) {
  const asked: { path: string; status: number }[] = []
  const server = createServer((request, response) => {
    const path = `${request.method} ${new URL(request.url ?? '', target).pathname}`
    if (asked.length < refusals) {
      asked.push({ path, status: 503 })
      request.resume()
      response.writeHead(503, { 'Retry-After': '1' }).end()
      return
    }
    const { method, headers, url = '' } = request
    const sent = httpRequest(target + url, { method, headers }, (answer) => {
      asked.push({ path, status: answer.statusCode ?? 0 })
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(sent)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function setup(t: TestContext, door: keyof typeof RECEIVERS, { key = KEY, refusals = 0 } = {}) {
  const dir = folder()
  const keys = { pagerduty: { routing_keys: { am: KEY } }, opsgenie: { api_keys: { am: KEY } } }
  const { url } = await startTestSystem(t, configFile(dir, { intake: keys }))
  const proxy = await startProxy(t, url, refusals)
  const receiver = { name: 'tocsin', ...RECEIVERS[door](proxy.url, key) }
  const alertmanager = await startAlertmanager(t, dir, { receivers: [receiver] })
  const incidents = async () => (await admin<IncidentPage>(url, '/api/admin/incidents')).incidents
  return { alertmanager, incidents, asked: proxy.asked }
}

for (const door of ['pagerduty', 'opsgenie'] as const) {
  test(`a real Alertmanager notifies the door ${door} of an alert, firing and resolved, once each, also after 503`, async (t) => {
    const { alertmanager, incidents, asked } = await setup(t, door, { refusals: 2 })
    await alertmanager.post(ALERT)
    await until(incidents, ({ length }) => length === 1)
    await alertmanager.post(ended(ALERT))
    const [resolved = assert.fail(), fired = assert.fail()] = await until(incidents, ({ length }) => length === 2)
    assert.deepEqual([fired.reported_status, resolved.reported_status], ['firing', 'resolved'])
    assert.equal(resolved.fingerprint, fired.fingerprint)
    assert.match(fired.title, /ReplicaLagHigh/)
    assert.equal(resolved.title.replace(/RESOLVED|FIRING:1/, ''), fired.title.replace(/RESOLVED|FIRING:1/, ''))
    const word = door === 'pagerduty' ? 'critical' : 'p1'
    assert.deepEqual([fired.severity, resolved.severity, fired.source], [word, word, door])
    assert.deepEqual(
      asked.map(({ status }) => status).filter((status) => status !== 202),
      [503, 503],
    )
    if (door === 'opsgenie') {
      assert.equal(fired.service, 'ledger')
      const updates = asked.filter(({ path, status }) => path.startsWith('PUT') && status === 202)
      assert.deepEqual(updates.map(({ path }) => path.split('/').at(-1)).sort(), ['description', 'message'])
    }
  })

  test(`a real Alertmanager reports that the door ${door} refuses its key`, async (t) => {
    const { alertmanager, incidents } = await setup(t, door, { key: 'a-key-that-nobody-configured' })
    await alertmanager.post(ALERT)
    const expected =
      door === 'pagerduty' ? /routing_key is not one of the configured keys/ : /unexpected status code 401/
    await until(() => alertmanager.said.some((line) => expected.test(line)))
    assert.deepEqual(await incidents(), [])
  })
}
