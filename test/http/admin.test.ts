import assert from 'node:assert/strict'
import test from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { addressKey, LoginThrottle } from '../../src/http/auth.ts'
import type { AdminRequest, AdminRoute } from '../../src/http/contract.ts'
import { errorOf, SECRET, serve } from './harness.ts'

const requests: AdminRequest[] = []
const echo = async (request: AdminRequest) => {
  requests.push(request)
  return { status: 200, json: { ok: true } }
}
const admin: readonly AdminRoute[] = [
  { method: 'GET', path: '/api/admin/incidents', answer: echo },
  { method: 'GET', path: '/api/admin/incidents/:id', answer: echo },
  { method: 'GET', path: '/api/admin/incidents/stats', answer: async () => ({ status: 200, json: 'static' }) },
  { method: 'POST', path: '/api/admin/channels/:name/:action', answer: echo },
  {
    method: 'DELETE',
    path: '/api/agent/detect',
    answer: async () => ({ status: 202, json: null, headers: { 'X-Count': '3' } }),
  },
  {
    method: 'POST',
    path: '/api/agent/fail/:how',
    answer: async ({ params }) => {
      if (params.how === 'coded') throw new CodedError('not_found', 'no such incident')
      if (params.how === 'remote') throw Object.assign(new Error('too late'), { code: 'ask_timeout' })
      throw new Error('private detail')
    },
  },
]
const secret = { 'X-Gateway-Secret': SECRET }

test('without a configured secret the gated paths are unknown', async (t) => {
  const { ask } = await serve(t, { admin, gatewaySecret: '' })
  for (const path of ['/api/admin/incidents', '/api/agent/detect', '/api/admin/nosuch']) {
    for (const headers of [{}, { 'X-Gateway-Secret': '' }, secret]) {
      const answer = await ask(path, { headers })
      assert.deepEqual([answer.status, answer.text], [404, '{"error":"not found"}'])
    }
  }
})

test('without the right secret every gated path is answered 401', async (t) => {
  const { ask } = await serve(t, { admin })
  for (const [method, path] of [
    ['GET', '/api/admin/incidents'],
    ['GET', '/api/admin/nosuch'],
    ['PUT', '/api/admin/incidents'],
    ['OPTIONS', '/api/admin/incidents'],
    ['POST', '/api/admin/channels/a/pause'],
    ['DELETE', '/api/agent/detect'],
  ] as const) {
    for (const headers of [{}, { 'X-Gateway-Secret': `${SECRET}x` }, { Authorization: `Bearer ${SECRET}` }]) {
      const answer = await ask(`${path}?x-gateway-secret=${encodeURIComponent(SECRET)}`, { method, headers })
      assert.deepEqual([answer.status, answer.text], [401, '{"error":"unauthorized"}'])
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
  }
})

test('a reload turns the gated paths on, off and to another secret', async (t) => {
  const { ask, front } = await serve(t, { admin, gatewaySecret: '' })
  const settings = { maxBodyBytes: 100, intakeToken: '', parameters: { targets: {}, strict: false } }
  const status = async () => (await ask('/api/admin/incidents', { headers: secret })).status
  front.reload({ ...settings, gatewaySecret: SECRET })
  assert.equal(await status(), 200)
  front.reload({ ...settings, gatewaySecret: 'another' })
  assert.equal(await status(), 401)
  front.reload({ ...settings, gatewaySecret: '' })
  assert.equal(await status(), 404)
})

test('a route gets its parameters, query and body', async (t) => {
  const { ask } = await serve(t, { admin })
  requests.length = 0
  await ask('/api/admin/incidents/..%2Fa%20b?q=x%20y&limit=2', { headers: secret })
  const answer = await ask('/api/admin/channels/chatws/pause', { method: 'POST', headers: secret, body: '{"a":1}' })
  await ask('/api/admin/channels/chatws/resume', { method: 'POST', headers: secret })
  assert.deepEqual([answer.status, answer.text, answer.headers['cache-control']], [200, '{"ok":true}', 'no-store'])
  assert.deepEqual(
    requests.map(({ params, query, body }) => [params, `${query}`, body]),
    [
      [{ id: '../a b' }, 'q=x+y&limit=2', undefined],
      [{ name: 'chatws', action: 'pause' }, '', { a: 1 }],
      [{ name: 'chatws', action: 'resume' }, '', undefined],
    ],
  )
})

test('plain segments go before named ones', async (t) => {
  const { ask } = await serve(t, { admin })
  assert.equal((await ask('/api/admin/incidents/stats', { headers: secret })).text, '"static"')
})

test('a route chooses its status and headers', async (t) => {
  const { ask } = await serve(t, { admin })
  const answer = await ask('/api/agent/detect', { method: 'DELETE', headers: secret })
  assert.deepEqual([answer.status, answer.text, answer.headers['x-count']], [202, 'null', '3'])
})

test('below the gated prefixes unknown paths answer 404, other methods 405', async (t) => {
  const { ask } = await serve(t, { admin })
  assert.equal((await ask('/api/admin/nosuch', { headers: secret })).status, 404)
  assert.equal((await ask('/api/admin/incidents/', { headers: secret })).status, 404)
  const answer = await ask('/api/admin/incidents', { method: 'DELETE', headers: secret })
  assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD, OPTIONS'])
})

test('a bad body or path is answered 400 and a large body 413', async (t) => {
  const { ask } = await serve(t, { admin, maxBodyBytes: 1000 })
  const path = '/api/admin/channels/chatws/pause'
  const bad = await ask(path, { method: 'POST', headers: secret, body: '{"a":}' })
  assert.equal(bad.status, 400)
  assert.match(errorOf(bad), /line 1/)
  assert.equal((await ask(path, { method: 'POST', headers: secret, body: `"${'x'.repeat(1000)}"` })).status, 413)
  assert.equal((await ask('/api/admin/incidents/%ff', { headers: secret })).status, 400)
})

test('an error of a route is answered by its code; one without a code is logged', async (t) => {
  const { ask, errors } = await serve(t, { admin })
  const fail = (how: string) => ask(`/api/agent/fail/${how}`, { method: 'POST', headers: secret })
  const coded = await fail('coded')
  assert.deepEqual([coded.status, errorOf(coded)], [404, 'no such incident'])
  const remote = await fail('remote')
  assert.deepEqual([remote.status, errorOf(remote), remote.headers['retry-after']], [503, 'too late', '1'])
  assert.equal(errors.length, 0)
  const other = await fail('other')
  assert.equal(other.status, 500)
  assert.doesNotMatch(other.text, /private/)
  assert.equal(errors.length, 1)
})

test('after 20 wrong secrets an address is answered 429, even with the right one', async (t) => {
  const { ask, warnings } = await serve(t, { admin })
  const guess = (headers: { [name: string]: string }) => ask('/api/admin/incidents', { headers })
  const wrong = { 'X-Gateway-Secret': 'wrong' }
  for (let n = 0; n < 19; n++) assert.equal((await guess(wrong)).status, 401)
  assert.equal((await guess(secret)).status, 200)
  for (let n = 0; n < 20; n++) assert.equal((await guess(wrong)).status, 401)
  const answer = await guess(secret)
  assert.equal(answer.status, 429)
  assert.ok(Number(answer.headers['retry-after']) > 0)
  assert.deepEqual(warnings, [{ address: '127.0.0.1' }])
  assert.equal((await guess({})).status, 401)
  assert.equal((await ask('/healthz')).status, 200)
})

test('an address may try again when its minute is over', () => {
  let now = 1
  const guesses = new LoginThrottle(() => now)
  for (let n = 0; n < 20; n++) {
    now += 1000
    assert.equal(guesses.blockedForSeconds('a'), 0)
    guesses.failed('a')
  }
  assert.equal(guesses.blockedForSeconds('a'), 42)
  assert.equal(guesses.blockedForSeconds('b'), 0)
  now += 42_000
  assert.equal(guesses.blockedForSeconds('a'), 0)
})

test('wrong secrets on all fronts together block an address', () => {
  const one = new LoginThrottle(() => 0)
  const two = new LoginThrottle(() => 0, one.buffer)
  for (let n = 0; n < 10; n++) {
    assert.equal(one.failed('a'), false)
    assert.equal(two.failed('a'), n === 9)
  }
  assert.deepEqual([one.blockedForSeconds('a'), two.blockedForSeconds('a')], [60, 60])
  assert.equal(one.failed('a'), false)
  two.succeeded('a')
  assert.equal(one.blockedForSeconds('a'), 0)
})

test('the memory of wrong secrets is bounded: later addresses take the place of earlier ones', () => {
  let now = 0
  const guesses = new LoginThrottle(() => now)
  const { byteLength } = guesses.buffer
  for (let nth = 0; nth < 100_000; nth++) guesses.failed(`address ${nth}`)
  now = 1_000
  for (let n = 0; n < 20; n++) assert.equal(guesses.failed('a'), n === 19)
  assert.equal(guesses.blockedForSeconds('a'), 60)
  assert.equal(guesses.buffer.byteLength, byteLength)
})

test('addresses of one IPv6 network count as one', () => {
  const key = (...bytes: number[]) => addressKey(Uint8Array.from(bytes).buffer)
  const network = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 1]
  assert.equal(key(...network, 0, 0, 0, 0, 0, 0, 0, 1), key(...network, 9, 9, 9, 9, 9, 9, 9, 9))
  assert.notEqual(key(127, 0, 0, 1), key(127, 0, 0, 2))
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
  assert.notEqual(key(...mapped, 10, 0, 0, 1), key(...mapped, 10, 0, 0, 2))
})

test('a route outside the gated paths or routed twice is refused', async (t) => {
  const route = (path: string): AdminRoute => ({ method: 'GET', path, answer: echo })
  await assert.rejects(serve(t, { admin: [route('/metrics')] }), /not a gated path/)
  await assert.rejects(serve(t, { admin: [route('/api/admin/x'), route('/api/admin/x')] }), /routed twice/)
})
