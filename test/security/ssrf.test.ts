import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createPost } from '../../src/outbound/post.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { operate } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { startTestSystem } from '../harness/system.ts'

/** A place inside the network that nobody outside may reach through the service. */
async function inside(t: TestContext) {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections++
    sockets.add(socket.on('error', () => {}))
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/meta-data`, count: () => connections }
}

const PARAMETERS = [
  ...['officechat_other_flow_url', 'chatws_other_channel_id', 'workchat_other_flow_url', 'officechat_flow_url'],
  ...['pagerduty_other_routing_key', 'incident_io_other_alert_source_config_id', 'url', 'callback', 'webhook_url'],
]

test('no sender and no operator can name an address that the service then asks', async (t) => {
  const { address, count } = await inside(t)
  const { alert, flow } = await twoChannels(t)
  const pager = { provider: 'pagerduty', pagerduty: { routing_key: 'test', api_url: flow.url } }
  const { url } = await startTestSystem(t, configFile(folder(), { alert, oncall: { enable: true, ...pager } }))
  const call = (path: string, body: unknown) => operate(url + path, body)
  const everywhere = Object.fromEntries(
    ['externalURL', 'generatorURL', 'url', 'flow_url', 'api_url', 'SubscribeURL', 'AckURL', 'webhook_url', 'image'].map(
      (key) => [key, address],
    ),
  )
  for (const parameter of PARAMETERS) {
    const { status } = await call(`/api/incidents?${parameter}=${encodeURIComponent(address)}`, { title: parameter })
    assert.ok(status === 400 || status === 201, `${parameter}: ${status}`)
  }
  assert.equal((await call('/api/incidents', { title: 'of addresses', ...everywhere })).status, 201)
  for (const target of [address, 'constructor']) {
    const answer = await call('/api/admin/channels/officechat/test', { target, ...everywhere })
    assert.doesNotMatch(await answer.text(), /"outcome":"sent"/)
  }
  const template = `{{ template "${address}" . }}{{ include "${address}" . }}`
  await call('/api/admin/render', { channel: 'officechat', template, payload: everywhere, ...everywhere })
  await flow.waitFor(({ body }) => body.includes('of addresses'))
  assert.equal(count(), 0)
})

test('what stands before the host of a configured address is neither asked nor sent', async (t) => {
  const { address, count } = await inside(t)
  const flow = await startProvider('officechat')
  const post = createPost()
  t.after(() => Promise.all([flow.close(), post.close()]))
  const { host } = new URL(address)
  const url = flow.url.replace('http://', `http://${encodeURIComponent(host)}:pass-word@`)
  const { status } = await post({ url: `${url}/flow`, json: {}, signal: new AbortController().signal })
  const [request] = flow.requests
  assert.deepEqual([status < 300, count()], [true, 0])
  assert.deepEqual([request?.headers.host, request?.headers.authorization], [`127.0.0.1:${flow.port}`, undefined])
})
