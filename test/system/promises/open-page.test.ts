import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Received } from '../../../src/simulator/exchange.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startProcess } from '../../harness/process.ts'
import { startStandIn } from '../../harness/providers.ts'
import { until } from '../../harness/until.ts'

const KEPT = 100
const OTHERS = 1_500
const pageOf = ({ json }: Received) => json as { event: string; dedup_key: string; ack_url: string }

test('a page outlives more incidents than are kept, and kill -9: its link acknowledges, a repeat makes no second page, and its end reaches the provider', async (t) => {
  const [pager, mail] = [await startStandIn(t, 'webhook'), await startStandIn(t, 'msgapp')]
  const dir = folder()
  const file = configFile(dir, {
    public_host: 'https://tocsin.example.test',
    alert: { msgapp: { enable: true, bot_token: '1:test', chat_id: '2', api_url: mail.url, ...FAST } },
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: `${pager.url}/page`, secret: 's' } },
    storage: { file: { data_dir: `${dir}/data`, max_incidents: KEPT } },
    log: { level: 'info' },
    noise: { repeats: { mode: 'fold' } },
  })
  const first = await startProcess(t, file)
  const alert = (status: 'firing' | 'resolved') => ({
    status,
    alerts: [{ status, labels: { alertname: 'disk full', severity: 'critical' }, fingerprint: 'd15c' }],
    groupKey: '{}:{alertname="disk full"}',
    groupLabels: { alertname: 'disk full' },
    commonLabels: { alertname: 'disk full', severity: 'critical' },
    commonAnnotations: {},
    externalURL: 'http://am',
    version: '4',
    receiver: 'tocsin',
  })
  const accepted = async (url: string, payload: unknown, query = '') => {
    const answer = await post(url, payload, {}, query)
    assert.equal(answer.status, 201)
    return answer.headers.get('x-incident-id')
  }
  const id = await accepted(first.url, alert('firing'))
  const { dedup_key, ack_url } = pageOf(await pager.waitFor((request) => pageOf(request).event === 'trigger'))
  const others = Array.from({ length: OTHERS }, (_, nth) => ({ ServiceName: `other ${nth}`, severity: 'low' }))
  for (let at = 0; at < OTHERS; at += 100) await accepted(first.url, others.slice(at, at + 100), '?oncall_enable=false')
  const isDeleted = (error: Error) => error.message.includes(': 404 ')
  await until(() => admin(first.url, `/api/admin/incidents/${id}`).then(() => false, isDeleted))
  first.child.kill('SIGKILL')

  const { url } = await startProcess(t, file)
  const link = new URL(ack_url)
  const asked = await fetch(url + link.pathname + link.search)
  assert.match(await asked.text(), /disk full/)
  const repeat = await accepted(url, alert('firing'))
  const stateOf = async (incident: string | null) =>
    (await admin<{ oncall: { state: string } }>(url, `/api/admin/incidents/${incident}`)).oncall.state
  await until(async () => (await stateOf(repeat).catch(() => '')) === 'joined')
  const body = new URLSearchParams({ name: 'Ada' })
  assert.equal((await fetch(url + link.pathname + link.search, { method: 'POST', body })).status, 200)
  await pager.waitFor((request) => pageOf(request).event === 'acknowledge')
  await accepted(url, alert('resolved'))
  await pager.waitFor((request) => pageOf(request).event === 'resolve')
  assert.deepEqual(
    pager.requests.map((request) => [pageOf(request).event, pageOf(request).dedup_key]),
    ['trigger', 'acknowledge', 'resolve'].map((event) => [event, dedup_key]),
  )
})
