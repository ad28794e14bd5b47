import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import { Hub } from '../../src/tail/hub.ts'
import { until } from '../harness/until.ts'
import { incident, watching } from '../tail/setup.ts'
import { errorOf, SECRET, type Served, serve } from './harness.ts'

const GATE = { headers: { 'X-Gateway-Secret': SECRET } }

test('a ticket admits a client once', async (t) => {
  const { served, ticket } = await setup(t)
  const value = await ticket()
  assert.match(value, /^[\w-]{32}$/)
  assert.equal(await upgrade(t, served, `ticket=${value}`), 101)
  assert.equal(await upgrade(t, served, `ticket=${value}`), 401)
  assert.notEqual(await ticket(), value)
})

test('without a ticket, or with one that was never issued, the upgrade is refused', async (t) => {
  const { served } = await setup(t)
  for (const query of ['', 'ticket=', 'ticket=made-up', `ticket=${encodeURIComponent(SECRET)}`]) {
    assert.equal(await upgrade(t, served, query), 401, query)
  }
  assert.equal(await upgrade(t, served, '', { 'X-Gateway-Secret': SECRET }), 401)
})

test('a ticket is valid for 30 s', async (t) => {
  const { served, ticket } = await setup(t)
  const [value, other] = [await ticket(), await ticket()]
  const began = performance.now()
  const now = t.mock.method(performance, 'now', () => began + 29_000)
  assert.equal(await upgrade(t, served, `ticket=${value}`), 101)
  now.mock.mockImplementation(() => began + 30_500)
  assert.equal(await upgrade(t, served, `ticket=${other}`), 401)
})

test('a ticket that is checked elsewhere admits, refuses or reports that it could not be checked', async (t) => {
  const tail = await setup(t, {
    tickets: {
      issue: async () => 'good',
      async redeem(ticket) {
        await new Promise((resolve) => setImmediate(resolve))
        if (ticket === 'broken') throw new CodedError('peer_down', 'no replica leads')
        return ticket === 'good'
      },
      revoke() {},
    },
  })
  assert.equal(await tail.ticket(), 'good')
  const statuses = ['good', 'bad', 'broken', 'good&newest=0'].map((ticket) =>
    upgrade(t, tail.served, `ticket=${ticket}`),
  )
  assert.deepEqual(await Promise.all(statuses), [101, 401, 503, 400])
})

test('a ticket needs the gateway secret', async (t) => {
  const { served } = await setup(t)
  assert.equal((await served.ask('/api/admin/tail/ticket', { method: 'POST' })).status, 401)
  assert.equal((await served.ask('/api/admin/tail/ticket', GATE)).status, 405)
})

test('without a secret configured there is no tail', async (t) => {
  const { served } = await setup(t, { gatewaySecret: '' })
  assert.equal((await served.ask('/api/admin/tail/ticket', { method: 'POST', ...GATE })).status, 404)
  assert.equal(await upgrade(t, served, 'ticket=x'), 404)
  assert.equal((await served.ask('/api/admin/tail')).status, 404)
})

test('a request that is no WebSocket upgrade is answered 426', async (t) => {
  const { served } = await setup(t)
  assert.equal((await served.ask('/api/admin/tail')).status, 401)
  const answer = await served.ask('/api/admin/tail', GATE)
  assert.equal(answer.status, 426)
  assert.match(errorOf(answer), /WebSocket/)
})

test('an invalid filter is refused before the upgrade', async (t) => {
  const { served, ticket } = await setup(t)
  for (const wish of [
    'kinds=everything',
    'chanel=chatws',
    'severity=,,x'.padEnd(60, 'x'),
    'q='.padEnd(300, 'x'),
    'newest=0',
    'newest=1001',
    'newest=x',
  ]) {
    assert.equal(await upgrade(t, served, `ticket=${await ticket()}&${wish}`), 400, wish)
  }
})

test('an event is sent to the clients whose filter it matches', async (t) => {
  const { watch, publish } = await setup(t)
  const all = await watch('')
  const some = await watch('&severity=critical&q=IS%20FULL')
  publish(incident('the ledger is full'), incident('another', 'critical'), incident('the ledger', 'info'))
  await all.until((lines) => lines.length === 4)
  await some.until((lines) => lines.length === 2)
  assert.deepEqual(some.titles(), ['the ledger is full'])
})

test('a filter may be replaced at any time', async (t) => {
  const { watch, publish, hub } = await setup(t)
  const client = await watch('&kinds=delivery')
  client.socket.send(JSON.stringify({ kind: 'filter', kinds: ['incident'], q: 'wanted' }))
  await until(() => hub.filters.some(({ q }) => q === 'wanted'))
  publish(incident('unwelcome'), incident('wanted'))
  await client.until((lines) => lines.length === 2)
  assert.deepEqual(client.titles(), ['wanted'])
})

test('a message that is no filter ends the connection with the reason', async (t) => {
  const { watch } = await setup(t)
  for (const text of ['hello', '{}', 'null', '{"kind":"filter","kinds":"all"}', '[]']) {
    const client = await watch('')
    client.socket.send(text)
    const { code, reason } = await client.closed
    assert.equal(code, 1008, text)
    assert.match(reason, /filter|kinds/)
  }
})

test('a client that reconnects with its last id gets the events it missed', async (t) => {
  const { watch, publish } = await setup(t)
  const first = await watch('')
  publish(incident('a'))
  await first.until((lines) => lines.length === 2)
  first.socket.close()
  await first.closed
  publish(incident('b'))
  const second = await watch(`&after=${first.lines.at(-1)?.id}`)
  await second.until((lines) => lines.length === 2)
  assert.deepEqual(second.titles(), ['b'])
})

test('a new secret ends all connections and tickets', async (t) => {
  const { served, watch, ticket } = await setup(t)
  const client = await watch('')
  const value = await ticket()
  const { front } = served
  const settings = { maxBodyBytes: 1024, intakeToken: '', parameters: { targets: {}, strict: false } }
  front.reload({ ...settings, gatewaySecret: SECRET })
  assert.equal(client.socket.readyState, WebSocket.OPEN)
  front.reload({ ...settings, gatewaySecret: 'a new one' })
  assert.deepEqual(await client.closed, { code: 1008, reason: 'the gateway secret has changed' })
  assert.equal(await upgrade(t, served, `ticket=${value}`), 401)
})

test('closing the front ends its clients with a reason and does not wait for them', async (t) => {
  const { served, watch } = await setup(t)
  const client = await watch('')
  const deaf = await watch('')
  deaf.socket.addEventListener('message', () => assert.fail('nothing was told'))
  await served.front.close()
  assert.equal((await client.closed).code, 1001)
})

test('a client that never reads is disconnected', async (t) => {
  const { served, ticket, hub, advance } = await setup(t)
  const socket = await silent(t, served.port, `/api/admin/tail?ticket=${await ticket()}`)
  const lines = Array.from({ length: 200 }, () => incident('x'.repeat(200)))
  let ended = false
  socket.on('close', () => {
    ended = true
  })
  for (let n = 0; n < 400 && hub.clients > 0; n++) {
    hub.accept(lines, 0)
    hub.flush()
    advance(100)
    hub.sweep()
    await new Promise(setImmediate)
  }
  assert.equal(hub.clients, 0)
  assert.equal(ended, false)
  socket.resume()
  await until(() => ended)
})

/** Starts a front with a tail hub. The test publishes the events and moves the clock. */
async function setup(t: TestContext, over: Parameters<typeof serve>[1] = {}) {
  let now = 0
  const hub = new Hub({
    publish: (topic, text) => served.front.publish(topic, text),
    filtersChanged() {},
    startedAt: Date.now(),
    now: () => now,
  })
  const served = await serve(t, { tail: hub, ...over })
  const ticket = async () => {
    const answer = await served.ask('/api/admin/tail/ticket', { method: 'POST', ...GATE })
    return (JSON.parse(answer.text) as { ticket: string }).ticket
  }
  return {
    served,
    hub,
    ticket,
    advance: (ms: number) => {
      now += ms
    },
    publish(...events: Parameters<Hub['accept']>[0]) {
      hub.accept(events, 0)
      hub.flush()
    },
    async watch(query: string) {
      return watching(t, new WebSocket(`ws://127.0.0.1:${served.port}/api/admin/tail?ticket=${await ticket()}${query}`))
    },
  }
}

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
}

/** Resolves with the status of the answer to an upgrade request. */
async function upgrade(t: TestContext, { port }: Served, query: string, headers = {}): Promise<number> {
  const path = `/api/admin/tail?${query}`
  const request = http.get({ host: '127.0.0.1', port, path, headers: { ...HANDSHAKE, ...headers }, agent: false })
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (answer) => resolve(answer.resume().statusCode ?? 0))
    request.on('upgrade', (_, socket) => {
      t.after(() => socket.destroy())
      resolve(101)
    })
  })
}

/** Opens the connection of a client that reads nothing. */
async function silent(t: TestContext, port: number, path: string): Promise<Socket> {
  const request = http.get({ host: '127.0.0.1', port, path, headers: HANDSHAKE, agent: false })
  const [, socket] = (await once(request, 'upgrade')) as [unknown, Socket]
  socket.pause()
  t.after(() => socket.destroy())
  return socket
}
