import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { startTestSystem } from '../harness/system.ts'
import { ended, startAlertmanager } from './rig.ts'

test('a real Alertmanager delivers an alert firing and resolved, and both arrive rendered', async (t) => {
  const dir = folder()
  const chat = await startProvider('chatws')
  const flow = await startProvider('officechat')
  t.after(() => Promise.all([chat.close(), flow.close()]))
  const rate = { per_second: 1000, burst: 1000 }
  const system = await startTestSystem(
    t,
    configFile(dir, {
      alert: {
        chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, rate },
        officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, rate },
      },
    }),
  )
  const receiver = { name: 'tocsin', webhook_configs: [{ url: `${system.url}/api/incidents`, send_resolved: true }] }
  const alertmanager = await startAlertmanager(t, dir, { receivers: [receiver] })
  const labels = { alertname: 'ReplicaLagHigh', severity: 'critical', instance: 'ledger-2:9104' }
  const annotations = { summary: 'The replica of the ledger falls behind' }

  await alertmanager.post({ labels, annotations })
  for (const provider of [chat, flow]) {
    const firing = await provider.waitFor(({ body }) => body.includes('ReplicaLagHigh'))
    assert.match(firing.body, /CRITICAL/i)
    assert.match(firing.body, /The replica of the ledger falls behind/)
  }

  await alertmanager.post(ended({ labels, annotations }))
  for (const provider of [chat, flow]) {
    const resolved = await provider.waitFor(({ body }) => /resolved/i.test(body))
    assert.match(resolved.body, /ReplicaLagHigh/)
  }
})
