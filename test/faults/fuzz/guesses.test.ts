import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SECRET } from '../../harness/net/requests.ts'
import { ask, type WireRequest, type WireResponse } from '../../harness/net/wire.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { body, encoded, word } from './hostile.ts'

const TOKEN = 'the-intake-token-of-the-test'
/** Characters that the HTTP server trims from header values. */
const AROUND = /^[^\x21-\x7e]+|[^\x21-\x7e]+$/g
/** Returns the text as a header value can carry it. */
const inHeader = (text: string) =>
  Buffer.from(text.slice(0, 400))
    .toString('latin1')
    .replace(/[\x00-\x1f\x7f]/g, ' ')
const near = (right: string) =>
  fc
    .oneof(
      word,
      fc.constantFrom(
        '',
        right.slice(1),
        right.slice(0, -1),
        right.toUpperCase(),
        `${right}\u00a0`,
        `"${right}"`,
        `${right},${right}`,
      ),
      fc
        .tuple(fc.nat(right.length - 1), fc.constantFrom('x', 'é'))
        .map(([at, c]) => right.slice(0, at) + c + right.slice(at + 1)),
    )
    .map(inHeader)
    .filter((text) => text.replace(AROUND, '') !== right)

const route = fc.constantFrom(
  'GET /api/admin/stats',
  'GET /api/admin/config',
  'POST /api/admin/deliveries/replay',
  'DELETE /api/agent/detect',
  'GET /api/agent/status',
  'POST /api/agent/logs/push',
  'GET /api/admin/nosuch',
)
const operator = fc
  .record({ route, secret: near(SECRET), query: word })
  .map(({ route: line, secret, query }): WireRequest => {
    const [method = '', path] = line.split(' ')
    const target = `${path}?ticket=${encoded(query).slice(0, 200)}&secret=${encodeURIComponent(SECRET)}`
    return { method, target, headers: [['X-Gateway-Secret', secret]], body: Buffer.alloc(0) }
  })
const sender = fc.record({ token: near(TOKEN), body }).map(({ token, body: sent }): WireRequest => {
  const headers: WireRequest['headers'] = [
    ['Authorization', `Bearer ${token}`],
    ['Content-Type', 'application/json'],
  ]
  return { method: 'POST', target: '/api/incidents', headers, body: sent }
})
const ticket = word.map((text): WireRequest => {
  const headers: WireRequest['headers'] = [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', btoa('k'.repeat(16))],
  ]
  return {
    method: 'GET',
    target: `/api/admin/tail?ticket=${encoded(text).slice(0, 300)}`,
    headers,
    body: Buffer.alloc(0),
  }
})
const link = fc
  .record({
    page: fc.constantFrom('ack', 'answer'),
    id: word,
    exp: word,
    sig: fc.oneof(word, fc.constant('0'.repeat(64))),
    method: fc.constantFrom('GET', 'POST'),
  })
  .map(({ page, id, exp, sig, method }): WireRequest => {
    const part = (text: string) => encoded(text).slice(0, 200) || '-'
    const target = `/api/${page}/${part(id)}?exp=${part(exp)}&sig=${part(sig)}`
    return { method, target, headers: [], body: Buffer.alloc(0) }
  })

/** Statuses of a wrong secret, and of bytes that are no request. */
const REFUSED = [400, 401, 403, 404]

test('no wrong secret opens a route, and the right one still does', async (t) => {
  const victim = await startVictim(t, { http: { intake_token: TOKEN } })
  const { url } = victim
  const before = victim.rss()
  // Fewer per batch than the login throttle allows before it locks the address.
  const guesses = fc.array(fc.oneof(operator, operator, sender, ticket, link), { minLength: 1, maxLength: 15 })
  const right = {
    method: 'GET',
    target: '/api/admin/incidents',
    headers: [['X-Gateway-Secret', SECRET]],
    body: Buffer.alloc(0),
  } as const
  const refused = ({ status, body: text }: WireResponse, asked: WireRequest) => {
    const shown = `${asked.method} ${asked.target} ${JSON.stringify(asked.headers)}: ${status} ${text.slice(0, 500)}`
    assert.ok(REFUSED.includes(status), shown)
    assert.ok(!text.includes(SECRET) && !text.includes(TOKEN), shown)
  }
  await holdsFor(t, { share: 0.04, arbitrary: guesses }, async (batch) => {
    for (const asked of batch) refused(await ask(url, asked), asked)
    const { status, body: text } = await ask(url, right)
    assert.deepEqual([status, JSON.parse(text).total], [200, 0])
  })
  assert.ok(!victim.output().includes(SECRET) && !victim.output().includes(TOKEN))
  await victim.assertSound()
  assertBounded(before, victim.rss())
})
