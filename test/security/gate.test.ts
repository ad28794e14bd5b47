import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { secretOf } from '../../src/http/auth.ts'
import type { AdminRoute, PageFile } from '../../src/http/contract.ts'
import { SECRET, type Served, serve, Wire } from '../http/harness.ts'

const CANARY = 'canary behind the gate'
const admin: readonly AdminRoute[] = [
  { method: 'GET', path: '/api/admin/stats', answer: async () => ({ status: 200, json: CANARY }) },
]
const page = (path: string): PageFile => {
  return { path, type: 'text/html', tag: 'a1', plain: Buffer.from('the page'), encoded: {} }
}
const pages = async () => [page('/'), page('/assets/main-1.js')]

/** Statuses of the answers to bytes that are sent as they are, until the connection ends or so many have come. */
async function said(t: TestContext, { port }: Served, bytes: string, answers = 1) {
  const wire = await Wire.open(t, port)
  wire.write(bytes)
  wire.socket.end()
  const statuses = await wire.statuses(answers)
  return { statuses, seen: wire.seen }
}
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

test('a secret is compared as a digest, whatever its length, and nothing is decided before', (t) => {
  const secret = secretOf(SECRET)
  const { timingSafeEqual } = crypto
  const compared: number[][] = []
  crypto.timingSafeEqual = (one, other) => {
    compared.push([one.byteLength, other.byteLength])
    return timingSafeEqual(one, other)
  }
  syncBuiltinESMExports()
  t.after(() => {
    crypto.timingSafeEqual = timingSafeEqual
    syncBuiltinESMExports()
  })
  const given = ['', 'x', SECRET, SECRET.slice(0, -1), `${SECRET}x`, `y${SECRET.slice(1)}`, 'z'.repeat(10_000)]
  assert.deepEqual(
    given.filter((each) => secret?.matches(each)),
    [SECRET],
  )
  assert.deepEqual(
    compared,
    given.map(() => [32, 32]),
  )
})

test('no spelling of a path goes around the gate', async (t) => {
  const served = await serve(t, { admin, pages })
  const paths = [
    ...['/api/admin/stats', '/api/admin/stats/', '/api/admin//stats', '/api/admin/./stats', '/api/admin/x/../stats'],
    ...['//api/admin/stats', '/api//admin/stats', '/./api/admin/stats', '/x/../api/admin/stats', '/API/admin/stats'],
    ...['/api/%61dmin/stats', '/api/admin%2fstats', '/%2fapi/admin/stats', '/api\\admin\\stats', '/api/admin/stats%00'],
    ...[
      '/api/admin/stats;x',
      '/api/admin/stats?X-Gateway-Secret=a%20gateway%20secret',
      '/api/incidents/../admin/stats',
    ],
  ]
  for (const path of paths) {
    const { statuses, seen } = await said(t, served, get(path))
    assert.ok(statuses[0] === 401 || statuses[0] === 404, `${path}: ${statuses}`)
    assert.ok(!seen.includes(CANARY), path)
  }
  const right = await said(t, served, get('/api/admin/stats', `X-Gateway-Secret: ${SECRET}\r\n`))
  assert.ok(right.seen.includes(CANARY))
})

test('nothing but the files of the dashboard is below its paths', async (t) => {
  const served = await serve(t, { pages })
  const steps = ['..', '%2e%2e', '%252e%252e', '..%2f..', '..%5c..', '..\\..', '.%00.', '....//']
  for (const step of steps)
    for (const root of ['/assets/', '/assets/main-1.js/', '/']) {
      const path = `${root}${step}/${step}/etc/passwd`
      const { statuses, seen } = await said(t, served, get(path))
      assert.ok(
        statuses.every((status) => status === 400 || status === 404),
        `${path}: ${statuses}`,
      )
      assert.doesNotMatch(seen, /root:|the page/)
    }
  for (const path of ['/assets/', '/assets', '/assets/main-1.js%00.html', '/assets/%6dain-1.js', '/assets//main-1.js'])
    assert.deepEqual((await said(t, served, get(path))).statuses, [404], path)
  assert.deepEqual((await said(t, served, get('/assets/main-1.js'))).statuses, [200])
})

const BODY = '{"title":"the one"}'
const POST = 'POST /api/incidents HTTP/1.1\r\nHost: x\r\n'
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`

test('a request whose length is told in two ways is refused, and what follows it is nobody’s request', async (t) => {
  const served = await serve(t, { admin })
  const smuggled = get('/api/admin/stats', `X-Gateway-Secret: ${SECRET}\r\n`)
  const bodies = [
    `Content-Length: ${BODY.length}\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
    `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${CHUNKED}`,
    `Content-Length: +${BODY.length}\r\n\r\n${BODY}`,
    `Content-Length: ${BODY.length}, ${BODY.length}\r\n\r\n${BODY}`,
    `Content-Length: 0x13\r\n\r\n${BODY}`,
    `Content-Length: -1\r\n\r\n${BODY}`,
    `Content-Length: 99999999999999999999\r\n\r\n${BODY}`,
    `Content-Length : ${BODY.length}\r\n\r\n${BODY}`,
    `X-Folded: a\r\n Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
    `Transfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n${BODY}\r\n0\r\n\r\n`,
  ]
  for (const body of bodies) {
    const { statuses, seen } = await said(t, served, `${POST}${body}${smuggled}`, 2)
    assert.ok(
      statuses.every((status) => status === 400),
      `${JSON.stringify(body)}: ${statuses}`,
    )
    assert.ok(!seen.includes(CANARY), body)
  }
  assert.deepEqual(served.intakes, [])
})
