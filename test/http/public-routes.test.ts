import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { CodedError } from '../../src/domain/errors.ts'
import type { AdminRequest, PublicRequest, PublicRoute } from '../../src/http/contract.ts'
import { until } from '../harness/until.ts'
import { errorOf, SECRET, serve, TARGETS, Wire } from './harness.ts'

const HTML = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'self'" }

function routes(requests: PublicRequest[]): readonly PublicRoute[] {
  const answer = async (request: PublicRequest) => {
    requests.push(request)
    if (request.query === 'fail') throw new CodedError('bad_parameter', 'not like this')
    return { status: 202, body: '<p>taken</p>', headers: HTML }
  }
  return [
    { method: 'GET', path: '/page/:id', answer },
    { method: 'POST', path: '/page/:id', headers: ['x-kind'], maxBodyBytes: 8, answer },
  ]
}

test('a public route gets path, query, the headers it names and the body, and answers with its own type and headers', async (t) => {
  const requests: PublicRequest[] = []
  const { ask } = await serve(t, { publicRoutes: routes(requests) })
  const answer = await ask('/page/a%20b?x=1&y', {
    method: 'POST',
    body: 'bytes',
    headers: { 'X-Kind': 'k', 'X-Other': 'o' },
  })
  assert.deepEqual([answer.status, answer.text], [202, '<p>taken</p>'])
  assert.equal(answer.headers['content-security-policy'], "default-src 'self'")
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  const [request] = requests
  assert.deepEqual(
    { ...request, body: request?.body.toString() },
    {
      params: { id: 'a b' },
      query: 'x=1&y',
      headers: { 'x-kind': 'k' },
      body: 'bytes',
      address: '127.0.0.1',
      network: '7f000001',
    },
  )
})

test('a public route needs no secret, refuses large bodies and other methods, and answers errors by their codes', async (t) => {
  const { ask } = await serve(t, { publicRoutes: routes([]), gatewaySecret: '' })
  assert.equal((await ask('/page/a')).status, 202)
  const head = await ask('/page/a', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [202, ''])
  assert.equal((await ask('/page/a', { method: 'POST', body: '123456789' })).status, 413)
  assert.equal((await ask('/page/a', { method: 'DELETE' })).status, 405)
  const failed = await ask('/page/a?fail')
  assert.deepEqual([failed.status, errorOf(failed)], [400, 'not like this'])
})

test('a public route that takes gzip gets the unpacked body, at most as long as its limit', async (t) => {
  const requests: PublicRequest[] = []
  const [, post = assert.fail()] = routes(requests)
  const { ask } = await serve(t, { publicRoutes: [{ ...post, method: 'PUT', gzip: true, maxBodyBytes: 64 }] })
  const put = (body: Buffer | string, encoding: string) =>
    ask('/page/a', { method: 'PUT', body, headers: { 'Content-Encoding': encoding } })
  assert.equal((await put(gzipSync('12345678'), 'gzip')).status, 202)
  assert.equal((await put('1234', 'identity')).status, 202)
  assert.deepEqual(
    requests.map(({ body }) => body.toString()),
    ['12345678', '1234'],
  )
  const refused = [
    [gzipSync('1'.repeat(65)), 'gzip', 413],
    ['no gzip', 'gzip', 400],
    ['1', 'br', 415],
  ] as const
  for (const [body, encoding, status] of refused) assert.equal((await put(body, encoding)).status, status, encoding)
  assert.equal(requests.length, 2)
})

test('a gated route may take the body as bytes, with its type', async (t) => {
  const requests: AdminRequest[] = []
  const answer = async (request: AdminRequest) => {
    requests.push(request)
    return { status: 200, json: {} }
  }
  const { ask } = await serve(t, {
    admin: [{ method: 'POST', path: '/api/agent/logs/:source', takes: 'bytes', answer }],
  })
  const headers = { 'X-Gateway-Secret': SECRET, 'Content-Type': 'text/plain' }
  await ask('/api/agent/logs/app', { method: 'POST', body: 'a line\nand { another', headers })
  const [request] = requests
  assert.ok(Buffer.isBuffer(request?.body))
  assert.deepEqual([request.body.toString(), request.contentType], ['a line\nand { another', 'text/plain'])
})

test('the body of a client without the intake token or the gateway secret is not read by a route that takes these', async (t) => {
  const bodies: string[] = []
  const answer = async ({ body }: PublicRequest) => {
    bodies.push(body.toString())
    return { status: 202, body: '', headers: {} }
  }
  const route = { method: 'POST', path: '/in', headers: ['authorization', 'x-gateway-secret'] } as const
  const publicRoutes = [{ ...route, takesIntakeToken: true, answer }]
  const { ask, front } = await serve(t, { publicRoutes, intakeToken: 'token' })
  const send = (headers: OutgoingHttpHeaders) => ask('/in', { method: 'POST', headers, body: 'body' })
  const shown = [
    { Authorization: 'Bearer token' },
    { 'X-Gateway-Secret': SECRET },
    { Authorization: 'Bearer wrong' },
    {},
  ]
  for (const headers of shown) await send(headers)
  assert.deepEqual(bodies.splice(0), ['body', 'body', '', ''])
  front.reload({
    maxBodyBytes: 1024,
    intakeToken: '',
    gatewaySecret: SECRET,
    parameters: { targets: TARGETS, pager: 'pagerduty', strict: false },
  })
  await send({})
  assert.deepEqual(bodies, ['body'])
})

test('bodies of strangers that are held leave incidents and known clients their room', async (t) => {
  const size = 64 << 20
  const answer = async () => ({ status: 202, body: '', headers: {} })
  const route = { method: 'POST', maxBodyBytes: size, answer } as const
  const publicRoutes = [
    { ...route, path: '/any' },
    { ...route, path: '/known', takesIntakeToken: true },
  ]
  const { ask, post, port } = await serve(t, { publicRoutes })
  const wire = await Wire.open(t, port)
  wire.write(`POST /any HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n${' '.repeat(size - 1)}`)
  const send = (path: string) => ask(path, { method: 'POST', body: '12' })
  await until(
    () => send('/any'),
    ({ status }) => status === 503,
  )
  assert.deepEqual([(await send('/known')).status, (await post('{}')).status], [202, 201])
  wire.write(' ')
  assert.deepEqual(await wire.statuses(1), [202])
  assert.equal((await send('/any')).status, 202)
})
