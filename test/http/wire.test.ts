import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import type { AdminAnswer } from '../../src/http/contract.ts'
import { ask } from '../harness/net/wire.ts'
import { heldSubmit, ID, payloadsOf, SECRET, serve, Wire } from './harness.ts'

const POST = 'POST /api/incidents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const sized = (body: string) => `${POST}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

/** Writes a piece `times` times, as fast as the peer reads. */
async function flood(wire: Wire, piece: string, times: number): Promise<void> {
  for (let n = 0; n < times && !wire.closed; n++) await new Promise((resolve) => wire.socket.write(piece, resolve))
}

test('a request that is answered while another one is being submitted gets its answer, and the other one too', async (t) => {
  const held = heldSubmit()
  const { port } = await serve(t, {
    submit(intake, body) {
      for (const earlier of held.answers.splice(0)) earlier({ kind: 'created', id: ID })
      return held.submit(intake, body)
    },
  })
  const wires = [await Wire.open(t, port), await Wire.open(t, port)] as const
  wires[0].write(sized('{}'))
  await held.waitFor(1)
  wires[1].write(sized('{}'))
  assert.deepEqual(await wires[0].statuses(1), [201])
  for (const answer of held.answers.splice(0)) answer({ kind: 'created', id: ID })
  assert.deepEqual(await wires[1].statuses(1), [201])
})

test('a body in many chunks is put together', async (t) => {
  const { port, intakes } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk('{"a"')}`)
  wire.write(chunk(':"é'))
  wire.write(`${chunk('"}')}0\r\n\r\n`)
  assert.deepEqual(await wire.statuses(1), [201])
  assert.deepEqual(intakes.flatMap(payloadsOf)[0], { a: 'é' })
})

test('a body that comes byte by byte is put together', async (t) => {
  const { port, intakes } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.socket.setNoDelay(true)
  wire.write(`${POST}Content-Length: 12\r\n\r\n`)
  for (const byte of Buffer.from('{"a":"éé"}')) {
    await new Promise((resolve) => wire.socket.write(Uint8Array.of(byte), resolve))
    await new Promise(setImmediate)
  }
  assert.deepEqual(await wire.statuses(1), [201])
  assert.deepEqual(intakes.flatMap(payloadsOf)[0], { a: 'éé' })
})

test('a body of exactly the limit is taken and one byte more is not', async (t) => {
  const { port, post } = await serve(t, { maxBodyBytes: 5_000 })
  const body = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`
  assert.equal((await post(body(5_000))).status, 201)
  assert.equal((await post(body(5_001))).status, 413)
  const wire = await Wire.open(t, port)
  wire.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk(body(5_000))}0\r\n\r\n`)
  assert.deepEqual(await wire.statuses(1), [201])
})

test('a declared length over the limit is answered before the body comes', async (t) => {
  const { port } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.write(`${POST}Content-Length: ${64 << 20}\r\n\r\n`)
  assert.deepEqual(await wire.statuses(1), [413])
  assert.match(wire.seen, /\r\nconnection: close\r\n/i)
})

test('a client that goes on sending sees the 413 and is not reset at once', async (t) => {
  const { port, front, ask } = await serve(t, { maxBodyBytes: 20_000 })
  for (const [framing, piece] of [
    [`Content-Length: ${64 << 20}`, 'x'.repeat(65_536)],
    ['Transfer-Encoding: chunked', chunk('w'.repeat(4096))],
  ] as const) {
    const wire = await Wire.open(t, port)
    wire.write(`${POST}${framing}\r\n\r\n`)
    await flood(wire, piece, (4 << 20) / piece.length)
    assert.deepEqual(await wire.statuses(1), [413])
    assert.equal(wire.closed, false)
    wire.socket.destroy()
  }
  assert.equal((await ask('/healthz')).status, 200)
  assert.equal(front.inflight(), 0)
})

test('a connection whose body was refused serves on once that body is over', async (t) => {
  const { port } = await serve(t, { maxBodyBytes: 10 })
  const wire = await Wire.open(t, port)
  wire.write(sized('{"a":"too long"}'))
  assert.deepEqual(await wire.statuses(1), [413])
  wire.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk('{"a":"too long"}')}`)
  assert.deepEqual(await wire.statuses(2), [413, 413])
  wire.write(`${chunk('and longer')}0\r\n\r\n${sized('{"a":1}')}`)
  assert.deepEqual(await wire.statuses(3), [413, 413, 201])
})

test('large bodies at once to a route that answers late are all answered, those over the limit too', async (t) => {
  const path = '/api/admin/channels/:name/pause'
  const answer = () => new Promise<AdminAnswer>((resolve) => setImmediate(resolve, { status: 200, json: {} }))
  const { port, front } = await serve(t, { admin: [{ method: 'POST', path, answer }] })
  const headers = [['X-Gateway-Secret', SECRET]] as const
  const statusOf = async (size: number) => {
    const body = Buffer.from(`"${'x'.repeat(size)}"`)
    const target = '/api/admin/channels/console/pause'
    return (await ask(`http://127.0.0.1:${port}`, { method: 'POST', target, headers, body })).status
  }
  for (let round = 0; round < 20; round++) {
    const statuses = await Promise.all([1_400_000, 900_000, 1_400_000, 400_000, 1_048_575, 0].map(statusOf))
    assert.deepEqual(statuses, [413, 200, 413, 200, 413, 200])
  }
  assert.equal(front.inflight(), 0)
})

test('an incomplete request creates no incident', async (t) => {
  const { port, post, intakes, front } = await serve(t)
  for (const half of ['', 'POST /api/inci', POST, `${POST}Content-Length: 500\r\n\r\n{"log":"half`]) {
    const wire = await Wire.open(t, port)
    wire.write(half)
    wire.socket.resetAndDestroy()
  }
  assert.equal((await post('{"whole":true}')).status, 201)
  assert.deepEqual(intakes.flatMap(payloadsOf), [{ whole: true }])
  assert.equal(front.inflight(), 0)
})

test('a client may leave while its incident is stored', async (t) => {
  const held = heldSubmit()
  const { port, post, front } = await serve(t, { submit: held.submit })
  const wire = await Wire.open(t, port)
  wire.write(sized('{}'))
  await held.waitFor(1)
  wire.socket.resetAndDestroy()
  const other = post('{}')
  await held.waitFor(2)
  assert.equal(front.inflight(), 2)
  for (const answer of held.answers) answer({ kind: 'created', id: ID })
  assert.equal((await other).status, 201)
  assert.equal(front.inflight(), 0)
})

test('a second answer to a request is ignored', async (t) => {
  const held = heldSubmit()
  const { port } = await serve(t, { submit: held.submit })
  const wire = await Wire.open(t, port)
  wire.write(sized('{}'))
  await held.waitFor(1)
  held.answers[0]?.({ kind: 'created', id: ID })
  held.answers[0]?.({ kind: 'refused', code: 'internal' })
  assert.deepEqual(await wire.statuses(1), [201])
  wire.write(GET)
  assert.deepEqual(await wire.statuses(2), [201, 200])
})

test('a client may leave while its body is unpacked', async (t) => {
  const { port, ask, front } = await serve(t)
  const body = gzipSync(JSON.stringify({ a: 'x'.repeat(100_000) }))
  const wire = await Wire.open(t, port)
  wire.write(`${POST}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
  wire.write(body)
  wire.socket.resetAndDestroy()
  assert.equal((await ask('/healthz')).status, 200)
  assert.equal(front.inflight(), 0)
})

test('pipelined requests that need no waiting are answered in order', async (t) => {
  const { port } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.write(GET + GET.replace('/healthz', '/nowhere') + GET)
  assert.deepEqual(await wire.statuses(3), [200, 404, 200])
})

test('a request sent before the answer to the one ahead of it ends the connection, and only that', async (t) => {
  const { port, post, intakes } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.write(sized('{"n":1}') + sized('{"n":2}'))
  await wire.end()
  assert.deepEqual(intakes.flatMap(payloadsOf), [{ n: 1 }])
  assert.equal((await post('{}')).status, 201)
})

test('Expect: 100-continue is answered before the body', async (t) => {
  const { port } = await serve(t)
  const wire = await Wire.open(t, port)
  wire.write(`${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
  await wire.statuses(1)
  wire.write('{}')
  assert.deepEqual(await wire.statuses(2), [100, 201])
})

test('heads that are not HTTP or too large end their connection only', async (t) => {
  const { port, ask } = await serve(t)
  const heads = [
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01',
    `${POST}Content-Length: 1x\r\n\r\n`,
    `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
  ]
  for (const head of heads) {
    const wire = await Wire.open(t, port)
    wire.write(head)
    await wire.end()
  }
  assert.equal((await ask('/healthz')).status, 200)
})

test('bodies that are held at one time are bounded', async (t) => {
  const held = heldSubmit()
  const { port, post } = await serve(t, { maxBodyBytes: 16 << 20, submit: held.submit })
  const large = `{"a":"${'x'.repeat(15 << 20)}"}`
  const wires = await Promise.all([1, 2, 3, 4].map(() => Wire.open(t, port)))
  for (const [at, wire] of wires.entries()) {
    wire.write(sized(large))
    await held.waitFor(at + 1)
  }
  const answer = await post(large)
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
  for (const give of held.answers.splice(0)) give({ kind: 'created', id: ID })
  for (const wire of wires) assert.deepEqual(await wire.statuses(1), [201])
  const again = post(large)
  await held.waitFor(1)
  held.answers[0]?.({ kind: 'created', id: ID })
  assert.equal((await again).status, 201)
})
