import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TailEvent } from '../../../../src/domain/event.ts'
import { until } from '../../../harness/until.ts'
import { incident, watching } from '../../../tail/setup.ts'
import { ask, lead, startReplica } from './setup.ts'

async function pair(t: TestContext) {
  const one = await startReplica(t, 'one')
  const two = await startReplica(t, 'two')
  lead(one, two)
  return { one, two }
}

const ticketFrom = async (url: string): Promise<string> =>
  (await ask(url, '/api/admin/tail/ticket', { method: 'POST' })).json().ticket

/** Joins the tail at one replica with a ticket of another. */
async function watch(t: TestContext, url: string, { ticketUrl = url, query = '' } = {}) {
  const path = `/api/admin/tail?ticket=${await ticketFrom(ticketUrl)}${query}`
  return watching(t, new WebSocket(url.replace('http', 'ws') + path))
}

const publish = ({ hub }: Awaited<ReturnType<typeof startReplica>>, ...events: readonly TailEvent[]) => {
  hub.accept(events, 0)
  hub.flush()
}

test('a client of a follower gets what the leader publishes, with its filter', async (t) => {
  const { one, two } = await pair(t)
  const near = await watch(t, one.url)
  const far = await watch(t, two.url)
  const some = await watch(t, two.url, { query: '&kinds=incident&severity=critical&q=DISK' })
  publish(one, incident('the disk is full', 'critical'), incident('the disk is slow', 'info'))
  await until(() => far.lines.length === 3 && near.lines.length === 3 && some.titles().length === 1)
  assert.deepEqual(far.lines.slice(1), near.lines.slice(1))
  assert.deepEqual(some.titles(), ['the disk is full'])
  some.socket.send(JSON.stringify({ kind: 'filter', severity: 'info' }))
  await until(() => {
    publish(one, incident('another', 'info'))
    return some.titles().includes('another')
  })
  publish(one, incident('a third', 'critical'), incident('the last', 'info'))
  await until(() => some.titles().includes('the last'))
  assert.ok(!some.titles().includes('a third'))
})

test('a ticket of any replica admits one client on any replica', async (t) => {
  const { one, two } = await pair(t)
  await watch(t, two.url, { ticketUrl: one.url })
  await watch(t, one.url, { ticketUrl: two.url })
  const ticket = await ticketFrom(two.url)
  const handshake = async (url: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/admin/tail?ticket=${ticket}`)
      socket.addEventListener('open', () => resolve('open'))
      socket.addEventListener('error', () => resolve('refused'))
    })
  assert.equal(await handshake(one.url), 'open')
  assert.equal(await handshake(two.url), 'refused')
  assert.equal(await handshake(one.url), 'refused')
})

test('a client that comes back on another replica goes on after its last event', async (t) => {
  const { one, two } = await pair(t)
  await watch(t, one.url)
  const first = await watch(t, two.url)
  publish(one, incident('first'))
  await until(() => first.titles().length === 1)
  const after = first.lines.at(-1)?.id
  first.socket.close()
  await first.closed
  publish(one, incident('second'))
  const again = await watch(t, one.url, { query: `&after=${after}` })
  await until(() => again.titles().length === 1)
  assert.equal(again.lines[0]?.resumed, true)
  assert.deepEqual(again.titles(), ['second'])
})

test('when another replica leads, all clients are disconnected, and told of the gap when they come back', async (t) => {
  const { one, two } = await pair(t)
  const clients = [await watch(t, one.url), await watch(t, two.url)]
  publish(one, incident('first'))
  await until(() => clients.every((client) => client.titles().length === 1))
  const after = clients[0]?.lines.at(-1)?.id
  lead(two, one)
  for (const { closed } of clients) {
    const { code, reason } = await closed
    assert.equal(code, 1013)
    assert.match(reason, /another replica leads/)
  }
  for (const { url } of [one, two]) {
    const again = await watch(t, url, { query: `&after=${after}` })
    assert.equal(again.lines[0]?.resumed, false)
    publish(two, incident('second'))
    await until(() => again.titles().length === 1)
    again.socket.close()
    await again.closed
  }
})

test('a leader that stops takes the clients of its followers with it', async (t) => {
  const { one, two } = await pair(t)
  const client = await watch(t, two.url)
  await one.stop()
  assert.equal((await client.closed).code, 1013)
  assert.equal((await ask(two.url, '/api/admin/tail/ticket', { method: 'POST' })).status, 503)
})

test('a client that leaves a follower leaves the leader', async (t) => {
  const { one, two } = await pair(t)
  const client = await watch(t, two.url)
  assert.equal(one.hub.clients, 1)
  client.socket.close()
  await until(() => one.hub.clients === 0)
})
