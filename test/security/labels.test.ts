import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { scrapeOf } from '../harness/metrics.ts'
import { post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

const INCIDENTS = 200

test('what senders write names no series of the metrics, and makes none', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  const scrape = async () => [...scrapeOf(await (await fetch(`${url}/metrics`)).text()).values.keys()]
  const incident = (n: number) => ({
    title: `planted title ${n}`,
    service: `planted-service-${n}`,
    severity: `planted-severity-${n}`,
    status: 'firing',
    Source: `planted-source-${n}`,
    [`planted-key-${n}`]: n,
  })
  const severities = ['critical', 'high', 'warning', 'low', 'info'].map((severity) => ({ title: severity, severity }))
  await post(url, severities)
  await chat.waitFor(() => chat.requests.length >= severities.length)
  const before = await scrape()
  const query = '?officechat_other_flow_url=planted-target&planted_parameter=1'
  await fetch(`${url}/api/incidents${query}`, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json' },
  })
  await post(
    url,
    Array.from({ length: INCIDENTS }, (_, n) => incident(n)),
  )
  await chat.waitFor(() => chat.requests.length >= severities.length + INCIDENTS)
  const after = await scrape()
  assert.doesNotMatch(after.join('\n'), /planted/)
  // Those of the runtime come when there was something to count.
  const fresh = after.filter((series) => series.startsWith('tocsin_') && !before.includes(series))
  assert.ok(fresh.length < 20, fresh.join('\n'))
})
