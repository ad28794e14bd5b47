import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIRECT } from '../../src/outbound/network.ts'
import { startReceiver } from '../answers/receiver.ts'
import { startHttpProxy } from '../harness/net/proxies.ts'
import { APP, blockActions, startSlackApp } from '../harness/slack/app.ts'
import { until } from '../harness/until.ts'

test('the address of a socket that is not below the configured one is not opened', async (t) => {
  for (const address of ['ws://localhost', 'ws://127.0.0.1.example.com', 'http://127.0.0.1', 'nowhere']) {
    const app = await startSlackApp(t)
    const method = app.chat.script
    const url = `${address}:${app.sockets.port}/link/?ticket=x`
    app.chat.script = (request, nth) =>
      request.path.endsWith('connections.open') ? { status: 200, body: { ok: true, url } } : method?.(request, nth)
    const { states } = startReceiver(app, { connections: 1 })
    await until(() => states.some((state) => state.includes('is not below api_url')))
    assert.equal(app.sockets.sockets.length, 0)
  }
})

test('a frame that is too large ends its connection, also through a proxy, and another one takes presses', async (t) => {
  const app = await startSlackApp(t)
  const proxy = await startHttpProxy(t, {})
  const { presses } = startReceiver(app, {
    connections: 1,
    network: { ...DIRECT, proxy: `http://127.0.0.1:${proxy.port}` },
  })
  const [first] = await app.connected(1)
  assert.ok(proxy.tunnels.includes(`127.0.0.1:${app.sockets.port}`))
  first?.envelope('interactive', blockActions('1a.subject.mac', { filling: 'x'.repeat(300 * 1024) }))
  const second = await until(() => app.sockets.sockets[1])
  second?.envelope('interactive', blockActions('1a.subject.mac'))
  await until(() => presses.length > 0)
  assert.deepEqual([presses.length, first?.acked, second?.isOpen], [1, [], true])
  assert.equal(presses[0]?.actor.id, 'U0ADA')
})

test('no address out of a payload is called', async (t) => {
  const app = await startSlackApp(t)
  const called: string[] = []
  const response = await startSlackApp(t)
  response.chat.script = ({ path }) => void called.push(path)
  startReceiver(app, { connections: 1, press: async () => ({ result: 'over', text: 'It is resolved.' }) })
  const [socket] = await app.connected(1)
  socket?.envelope('interactive', blockActions('1a.subject.mac', { response_url: `${response.chat.url}/actions/1` }))
  await until(() => app.calls('chat.postEphemeral').length === 1)
  assert.deepEqual(called, [])
  assert.equal(app.calls('chat.postEphemeral')[0]?.headers.authorization, `Bearer ${APP.token}`)
})
