import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ackRoutes } from '../../../../actors/main/api/acknowledge.ts'
import { openChanges } from '../../../../actors/main/changes.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import { LoginThrottle } from '../../../../src/http/auth.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { memoryLog } from '../../../harness/system.ts'
import { ask, lead, startReplica, startServer } from './setup.ts'

/** Shows the request as the route got it, and who answered. */
const echo =
  (name: string) =>
  async ({ params, query, body, contentType }: AdminRequest): Promise<AdminAnswer> => ({
    status: 202,
    json: {
      name,
      params,
      query: [...query],
      body: body instanceof Uint8Array ? Buffer.from(body).toString('hex') : (body ?? null),
      contentType,
    },
    headers: { 'Retry-After': '7', Warning: '299 - "mind the gap"' },
  })

const routesOf = (name: string): AdminRoute[] => [
  { method: 'GET', path: '/api/admin/things/:id', answer: echo(name) },
  { method: 'POST', path: '/api/admin/things/:id', answer: echo(name) },
  { method: 'PATCH', path: '/api/admin/things/:id', answer: echo(name) },
  { method: 'DELETE', path: '/api/admin/things/:id', answer: echo(name) },
  { method: 'POST', path: '/api/agent/logs/:source', takes: 'bytes', answer: echo(name) },
  { method: 'GET', path: '/api/admin/config', answer: echo(name) },
  {
    method: 'GET',
    path: '/api/admin/refused',
    answer: async () => {
      throw new CodedError('bad_parameter', `${name} refuses`)
    },
  },
]

async function pair(t: TestContext) {
  const leader = await startReplica(t, 'one', { admin: routesOf('one') })
  const follower = await startReplica(t, 'two', { admin: routesOf('two') })
  lead(leader, follower)
  return { leader, follower }
}

test('a follower gives the answer of the leader to every method, with path, query, body and headers', async (t) => {
  const { leader, follower } = await pair(t)
  const path = '/api/admin/things/a%2Fb%20%C3%A9?q=x%26y&q=z&empty='
  const json = { 'Content-Type': 'application/json' }
  for (const init of [
    { method: 'GET' },
    { method: 'POST', body: '{"a":[1,"\\u0000",null]}', headers: json },
    { method: 'POST' },
    { method: 'PATCH', body: '"text"', headers: json },
    { method: 'DELETE' },
  ]) {
    const direct = await ask(leader.url, path, init)
    const relayed = await ask(follower.url, path, init)
    assert.equal(relayed.json().name, 'one')
    assert.equal(relayed.text, direct.text, init.method)
    assert.equal(relayed.status, 202)
    for (const name of ['content-type', 'retry-after', 'warning', 'cache-control'])
      assert.equal(relayed.headers.get(name), direct.headers.get(name), name)
  }
})

test('bytes reach the leader as they are, and its refusals the client', async (t) => {
  const { leader, follower } = await pair(t)
  const body = Buffer.from([0, 255, 10, 128])
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/x-ndjson' } }
  const pushed = await ask(follower.url, '/api/agent/logs/app', init)
  assert.equal(pushed.text, (await ask(leader.url, '/api/agent/logs/app', init)).text)
  assert.equal(pushed.json().body, '00ff0a80')
  const refused = await ask(follower.url, '/api/admin/refused')
  assert.equal(refused.status, 400)
  assert.equal(refused.json().error, 'one refuses')
})

test('each replica shows its own configuration', async (t) => {
  const { follower } = await pair(t)
  assert.equal((await ask(follower.url, '/api/admin/config')).json().name, 'two')
})

test('without a leader that can be asked a follower answers 503 and says what to set', async (t) => {
  const { leader, follower } = await pair(t)
  const refusal = async (text: RegExp) => {
    const answer = await ask(follower.url, '/api/admin/things/1')
    assert.equal(answer.status, 503)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(answer.json().error, text)
  }
  await leader.stop()
  await refusal(/^replica one leads and cannot be reached at http:.*replica\.address/)
  follower.cluster.set({ name: 'one', address: '', self: false })
  await refusal(/^replica one leads and has no address: set replica\.address/)
  follower.cluster.set({ name: 'two', address: '', self: false, former: true })
  await refusal(/^the process of replica two that ran before this one holds the lease until it ends.*: ask again;/)
  follower.cluster.set(undefined)
  await refusal(/^no replica leads/)
})

test('a request is sent on once: two replicas that take each other for the leader refuse it', async (t) => {
  const { leader: one, follower: two } = await pair(t)
  one.cluster.set({ name: 'two', address: two.url, self: false })
  const answer = await ask(two.url, '/api/admin/things/1')
  assert.equal(answer.status, 503)
  assert.match(answer.json().error, /does not lead/)
})

test('a request under way ends when another replica leads', async (t) => {
  let arrived = () => {}
  const reached = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const address = await startServer(t, () => arrived())
  const follower = await startReplica(t, 'two', { admin: routesOf('two') })
  follower.cluster.set({ name: 'one', address, self: false })
  const answer = ask(follower.url, '/api/admin/things/1', { method: 'DELETE' })
  await reached
  follower.cluster.set(undefined)
  assert.equal((await answer).status, 503)
  assert.match((await answer).json().error, /leads no more; what was asked may be done/)
})

test('an address where something else answers, or a replica with another secret, is named', async (t) => {
  const other = await startServer(t, (_, res) => res.end('<html>'))
  const follower = await startReplica(t, 'two', { admin: routesOf('two') })
  follower.cluster.set({ name: 'one', address: other, self: false })
  const html = await ask(follower.url, '/api/admin/things/1')
  assert.equal(html.status, 503)
  assert.match(html.json().error, /something else answers \(200, not JSON\)/)
  const stranger = await startReplica(t, 'one', { admin: routesOf('one'), gatewaySecret: 'another secret' })
  lead(stranger, follower)
  const refused = await ask(follower.url, '/api/admin/things/1')
  assert.equal(refused.status, 503)
  assert.match(refused.json().error, /same gateway_secret/)
})

test('the gate of a follower holds before anything is sent on', async (t) => {
  const { follower } = await pair(t)
  const answer = await fetch(`${follower.url}/api/admin/things/1`, { headers: { 'X-Gateway-Secret': 'wrong' } })
  assert.equal(answer.status, 401)
})

test('acknowledge links work on a follower, without a gateway secret too', async (t) => {
  const asked: string[] = []
  const publicRoutes = (name: string) =>
    ackRoutes({
      askStorage: async () => assert.fail(`${name} has no such incident`),
      key: () => undefined,
      now: Date.now,
    }).map((route) => ({
      ...route,
      answer: async (request: Parameters<typeof route.answer>[0]) => {
        asked.push(`${name} ${request.query} ${request.body}`)
        return route.answer(request)
      },
    }))
  const leader = await startReplica(t, 'one', { publicRoutes: publicRoutes('one'), gatewaySecret: '' })
  const follower = await startReplica(t, 'two', { publicRoutes: publicRoutes('two'), gatewaySecret: '' })
  lead(leader, follower)
  const form = { method: 'POST', body: new URLSearchParams({ name: 'Ada L' }) }
  for (const init of [{}, form]) {
    const direct = await fetch(`${leader.url}/api/ack/x?t=1%2F2`, init)
    const relayed = await fetch(`${follower.url}/api/ack/x?t=1%2F2`, init)
    assert.equal(relayed.status, direct.status)
    assert.equal(await relayed.text(), await direct.text())
    for (const name of ['content-type', 'content-security-policy', 'cache-control', 'referrer-policy'])
      assert.equal(relayed.headers.get(name), direct.headers.get(name), name)
  }
  assert.deepEqual(asked, ['one t=1%2F2 ', 'one t=1%2F2 ', 'one t=1%2F2 name=Ada+L', 'one t=1%2F2 name=Ada+L'])
  assert.equal((await fetch(`${follower.url}/api/admin/replicas`)).status, 404)
  await leader.stop()
  const failed = await fetch(`${follower.url}/api/ack/x?t=1`)
  assert.equal(failed.status, 503)
  assert.match(failed.headers.get('content-type') ?? '', /html/)
  assert.match(failed.headers.get('retry-after') ?? '', /^\d+$/)
})

test('a follower sends changes on to the leader, which checks the token', async (t) => {
  const stored: string[] = []
  const changesOf = (name: string) =>
    openChanges({
      settings: () => ({ gatewaySecret: '', http: { intakeToken: 'token' }, brief: { enable: true } }) as never,
      askStorage: (async ({ change }: { change: { summary: string } }) => {
        stored.push(`${name}: ${change.summary}`)
        return { id: 7, isNew: true }
      }) as never,
      clock: new ManualClock(),
      throttle: new LoginThrottle(() => 0),
      log: memoryLog(),
    }).route
  const leader = await startReplica(t, 'one', { publicRoutes: [changesOf('one')] })
  const follower = await startReplica(t, 'two', { publicRoutes: [changesOf('two')] })
  lead(leader, follower)
  const posted = async (token: string) => {
    const init = { method: 'POST', body: '{"summary":"4.12.0"}', headers: { authorization: `Bearer ${token}` } }
    const answer = await fetch(`${follower.url}/api/changes`, init)
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await posted('token'), [201, { id: 7 }])
  assert.equal((await posted('wrong'))[0], 401)
  assert.deepEqual(stored, ['one: 4.12.0'])
  await leader.stop()
  assert.equal((await posted('token'))[0], 503)
})

test('every replica lists all, the leader first', async (t) => {
  const { follower } = await pair(t)
  const row = {
    version: '1',
    startedAt: 0,
    lastBeatMs: 10,
    leaseLeftMs: 4_990,
    clockOffsetMs: undefined,
    shares: [],
    figures: undefined,
  }
  follower.cluster.rows = [
    { ...row, name: 'two', address: follower.url, leads: false, self: true },
    { ...row, name: 'one', address: 'http://one', leads: true, self: false },
  ]
  const { leader, replicas } = (await ask(follower.url, '/api/admin/replicas')).json()
  assert.equal(leader, 'one')
  assert.deepEqual(
    replicas.map(({ name, role, self }: { name: string; role: string; self: boolean }) => [name, role, self]),
    [
      ['one', 'leader', false],
      ['two', 'follower', true],
    ],
  )
})
