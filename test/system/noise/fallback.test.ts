import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { startStandIn } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

test('a chat that refuses is told at its fallback, and the record, the reasons and the metrics say so', async (t) => {
  const [chat, other] = [await startStandIn(t, 'chatws'), await startStandIn(t, 'msgapp')]
  chat.script = () => ({ body: { ok: false, error: 'channel_not_found' } })
  const alert = {
    chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, on_failure: 'msgapp' },
    msgapp: { enable: true, token: '1:a', channel_id: '7', api_url: other.url },
  }
  const routes = [{ name: 'chat', to: ['chatws'] }]
  const { url } = await startTestSystem(t, configFile(folder(), { alert, routes }))
  const id = (await post(url, { title: 'Card declines', service: 'payments' })).headers.get('x-incident-id') ?? ''
  const detail = await until(
    () => admin<IncidentDetail>(url, `/api/admin/incidents/${id}`),
    ({ notify_status }) => notify_status === 'partial',
  )
  assert.deepEqual(
    detail.deliveries.map(({ channel, state, reason }) => [channel, state, reason]),
    [
      ['chatws', 'dead', null],
      ['msgapp', 'sent', 'fallback of chatws'],
    ],
  )
  assert.match(other.taken.at(-1)?.text ?? '', /Card declines/)
  const { decisions } = await admin<Explanation>(url, `/api/admin/incidents/${id}/explain`)
  const steps = decisions
    .filter(({ subject }) => subject === 'chatws' || subject === 'msgapp')
    .filter(({ stage }) => stage !== 'provider')
  assert.deepEqual(
    steps.map(({ stage, subject, verdict }) => [stage, subject, verdict]),
    [
      ['destination', 'chatws', 'dead'],
      ['fallback', 'msgapp', 'sent'],
    ],
  )
  assert.match(steps[1]?.because ?? '', /^fallback of chatws; 1 attempt/)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /^tocsin_fallbacks_total\{channel="chatws"\} 1$/m)
})
