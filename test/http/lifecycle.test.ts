import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import test from 'node:test'
import { freePort } from '../harness/net/port.ts'
import { errorOf, frontOf, heldSubmit, ID, serve, Wire } from './harness.ts'

const POST = 'POST /api/incidents HTTP/1.1\r\nHost: x\r\n'

test('while shutting down intake is refused and readiness fails, the rest goes on', async (t) => {
  const { front, ask, post } = await serve(t)
  front.refuseNew()
  const answer = await post('{}')
  assert.deepEqual([answer.status, answer.headers['retry-after'], answer.headers.connection], [503, '2', 'close'])
  assert.match(errorOf(answer), /shutting down/)
  assert.equal((await ask('/readyz')).status, 503)
  assert.equal((await ask('/healthz')).status, 200)
})

test('closing answers accepted requests, refuses incomplete ones and ends idle connections', async (t) => {
  const held = heldSubmit()
  const { front, port } = await serve(t, { submit: held.submit })
  const [idle, half, whole] = await Promise.all([Wire.open(t, port), Wire.open(t, port), Wire.open(t, port)])
  half.write(`${POST}Expect: 100-continue\r\nContent-Length: 20\r\n\r\n{"a":`)
  await half.statuses(1)
  whole.write(`${POST}Content-Length: 2\r\n\r\n{}`)
  await held.waitFor(1)
  const closed = front.close()
  assert.equal(front.close(), closed)
  assert.deepEqual(await half.statuses(2), [100, 503])
  held.answers[0]?.({ kind: 'created', id: ID })
  await closed
  assert.deepEqual(await whole.statuses(1), [201])
  await Promise.all([idle.end(), half.end(), whole.end()])
  const late = net.connect(port, '127.0.0.1')
  const [error] = await once(late, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
})

test('a front that never listened closes', async (t) => {
  const { front } = await serve(t)
  await front.close()
  await front.close()
})

test('a port in use is an error with its code', async (t) => {
  const first = await serve(t)
  const second = await serve(t)
  await assert.rejects(second.front.listen('127.0.0.1', first.port), { code: 'EADDRINUSE' })
})

for (const kind of ['a given port', 'any free port']) {
  test(`fronts that share ${kind} both listen`, async (t) => {
    const first = frontOf({ sharedPort: 'opens' })
    const second = frontOf({ sharedPort: 'joins' })
    t.after(() => Promise.all([first.close(), second.close()]))
    const port = await first.listen('127.0.0.1', kind === 'a given port' ? await freePort() : 0)
    assert.equal(await second.listen('127.0.0.1', port), port)
  })
}

test('a front that opens a port for others refuses one that is in use', async (t) => {
  const taken = await serve(t)
  const front = frontOf({ sharedPort: 'opens' })
  t.after(() => front.close())
  await assert.rejects(front.listen('127.0.0.1', taken.port), { code: 'EADDRINUSE' })
})
