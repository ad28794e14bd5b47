import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { configFile, folder } from '../../harness/config-file.ts'
import { admin } from '../../harness/net/requests.ts'
import { startTestSystem } from '../../harness/system.ts'
import { ACT, connect, OTHER, postMcp, READ, startMcp, TOKENS } from './rig.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const PUBLIC = 'https://tocsin.example.org'

test('without a token there is no /mcp, and a first one waits for a restart, which the reload says', async (t) => {
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir))
  assert.equal((await postMcp(system.url, PING)).status, 404)
  await system.reloadFrom(configFile(dir, { mcp: { tokens: TOKENS } }))
  assert.equal((await postMcp(system.url, PING)).status, 404)
  assert.ok(system.log.lines.some(({ message }) => message.startsWith('mcp.tokens has its first token')))
  assert.deepEqual(await admin(system.url, '/api/admin/mcp'), { tokens: [] })
})

test('a reload changes tokens: a new one works, one that is gone does not, and without any the path is gone', async (t) => {
  const system = await startMcp(t)
  const dir = folder()
  assert.equal((await postMcp(system.url, PING)).status, 200)
  const next = 'next-token-of-the-tests-0123456789'
  await system.reloadFrom(configFile(dir, { mcp: { tokens: [{ name: 'next', token: next }] } }))
  assert.deepEqual(
    [(await postMcp(system.url, PING)).status, (await postMcp(system.url, PING, {}, next)).status],
    [401, 200],
  )
  await system.reloadFrom(configFile(dir))
  assert.equal((await postMcp(system.url, PING, {}, next)).status, 404)
})

test('a wrong token is 401 with a plain challenge, twenty of them block the address there alone, and metadata of OAuth is nowhere', async (t) => {
  const { url } = await startMcp(t)
  for (const path of ['oauth-protected-resource', 'oauth-authorization-server', 'oauth-protected-resource/mcp'])
    assert.equal((await fetch(`${url}/.well-known/${path}`)).status, 404)
  const wrong = await postMcp(url, PING, {}, 'wrong')
  assert.deepEqual([wrong.status, wrong.headers.get('www-authenticate')], [401, 'Bearer'])
  for (let nth = 1; nth < 20; nth++) await postMcp(url, PING, { authorization: '' })
  const blocked = await postMcp(url, PING)
  assert.equal(blocked.status, 429)
  assert.ok(Number(blocked.headers.get('retry-after')) > 0)
  assert.equal((await admin<{ tokens: object[] }>(url, '/api/admin/mcp')).tokens.length, TOKENS.length)
})

test('the gate', async (t) => {
  const { url, log } = await startMcp(t, { public_host: PUBLIC, mcp: { origins: ['https://ops.example.org'] } })

  await t.test(
    'a page of another origin is refused, those of loopback, public_host and origins are served, none with CORS',
    async () => {
      for (const origin of [
        'https://evil.example',
        'null',
        'https://tocsin.example.org.evil.example',
        'http://localhost.evil.example',
      ])
        assert.equal((await postMcp(url, PING, { origin })).status, 403, origin)
      for (const origin of [
        'http://localhost:6274',
        'http://127.0.0.1',
        'http://[::1]:9',
        PUBLIC,
        'https://ops.example.org',
      ]) {
        const answer = await postMcp(url, PING, { origin }, OTHER)
        assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, null], origin)
      }
    },
  )

  await t.test('the gateway secret does not open /mcp, and a token opens nothing else', async () => {
    assert.equal((await postMcp(url, PING, {}, 'gateway-secret-of-the-tests')).status, 401)
    const headers = { authorization: `Bearer ${ACT}`, 'x-gateway-secret': ACT }
    for (const path of ['/api/admin/problems', '/api/admin/mcp'])
      assert.equal((await fetch(url + path, { headers })).status, 401)
  })

  await t.test(
    'GET and DELETE are 405, subscriptions and batches are refused, and broken bodies are answered',
    async () => {
      for (const method of ['GET', 'DELETE', 'PUT']) assert.equal((await fetch(`${url}/mcp`, { method })).status, 405)
      const listen = await postMcp(url, { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params: {} })
      const { id, error } = (await listen.json()) as { id: number; error: { code: number } }
      assert.deepEqual([listen.status, id, error.code], [404, 7, -32_601])
      for (const body of ['', '{', '[]', JSON.stringify([PING, PING]), '"text"', 'null', '1'])
        assert.equal((await postMcp(url, body)).status, 400, body)
      for (const body of [
        {},
        { jsonrpc: '1.0' },
        { jsonrpc: '2.0', id: {}, method: 5 },
        { method: 'tools/call', params: [] },
      ])
        assert.ok((await postMcp(url, body)).status < 500)
      assert.equal((await postMcp(url, { ...PING, params: { text: 'x'.repeat(70_000) } })).status, 413)
      assert.equal((await postMcp(url, PING, { 'content-type': 'text/plain' })).status, 415)
      assert.deepEqual(
        log.lines.filter(({ level }) => level === 'error'),
        [],
      )
      assert.equal((await postMcp(url, PING)).status, 200)
    },
  )
})

test('a token has a burst of 20 calls, and another token its own', async (t) => {
  const { url } = await startMcp(t)
  for (let nth = 0; nth < 20; nth++) assert.equal((await postMcp(url, PING)).status, 200)
  const refused = await postMcp(url, PING)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  assert.equal((await postMcp(url, PING, {}, OTHER)).status, 200)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /tocsin_mcp_refused_total\{reason="too_many_calls"\} 1/)
})

test('the list of tokens has their use, and neither it nor the shown configuration has a secret', async (t) => {
  const tokens = [{ name: 'ops', token: ACT, scope: 'act', act_on: { service: 'pay*' } }]
  const { url } = await startMcp(t, { mcp: { tokens } })
  const { call } = await connect(t, url, { token: ACT })
  await call('heartbeats')
  const listed = await admin<{ tokens: { last_used_at: string }[] }>(url, '/api/admin/mcp')
  const last_used_at = listed.tokens[0]?.last_used_at
  assert.deepEqual(listed.tokens, [
    { name: 'ops', scope: 'act', act_on: 'service pay*', may_stop_pages: false, calls: 1, last_used_at },
  ])
  assert.ok(last_used_at)
  const shown = stringify([listed, await admin(url, '/api/admin/config')])
  assert.ok(!shown.includes(ACT) && !shown.includes(READ))
})
