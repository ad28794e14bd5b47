import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { CodedError } from '../../src/domain/errors.ts'
import type { AdminRequest, PublicRequest, PublicRoute } from '../../src/http/contract.ts'
import { errorOf, SECRET, serve } from './harness.ts'

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
