import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { operate, post } from '../../harness/net/requests.ts'
import { tailOf } from '../../harness/net/tail.ts'
import { holdsFor } from '../campaign.ts'
import { assertBounded, startVictim } from '../victim.ts'
import { encoded, tree, word } from './hostile.ts'

/** Generates WebSocket frames, valid or not. */
const frame = fc.record({
  first: fc.oneof(fc.constantFrom(0x81, 0x82, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8a), fc.nat(255)),
  payload: fc.oneof(
    tree.map((value) => Buffer.from(JSON.stringify(value))),
    tree.map((value) => Buffer.from(JSON.stringify({ kind: 'filter', kinds: value, q: value, severity: value }))),
    word.map((text) => Buffer.from(JSON.stringify({ kind: 'filter', kinds: ['incident'], q: text.slice(0, 300) }))),
    fc.uint8Array({ maxLength: 130 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('', '['.repeat(10_000), '{"kind":"filter"}', '1e999', 'x'.repeat(70_000))
      .map((text) => Buffer.from(text)),
  ),
  masked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  /** Difference between the length in the header and the real one. */
  lie: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -5, max: 2 ** 30 }) },
  ),
})
type Frame = typeof frame extends fc.Arbitrary<infer T> ? T : never

const wish = fc.array(
  fc.tuple(fc.constantFrom('kinds', 'channel', 'severity', 'q', 'after', 'newest', 'ticket', 'x'), word),
  {
    maxLength: 3,
  },
)

test('any bytes sent over the live tail may end the connection, never the service', async (t) => {
  const victim = await startVictim(t)
  const before = victim.rss()
  const watcher = await tailOf(t, victim.url)
  const arbitrary = fc.tuple(wish, fc.array(frame, { minLength: 1, maxLength: 8 }))
  await holdsFor(t, { share: 0.05, arbitrary }, async ([pairs, frames]) => {
    const query = pairs.map(([name, value]) => `&${name}=${encoded(value.slice(0, 100))}`).join('')
    const socket = await upgraded(victim.url, query)
    for (const each of frames) socket.write(bytesOf(each))
    socket.end()
    await closed(socket)
  })
  const { headers } = await post(victim.url, { title: 'after all of it' })
  const id = headers.get('x-incident-id')
  await watcher.until((events) => events.some((event) => event.kind === 'incident' && event.incident.id === id))
  await victim.assertSound()
  assertBounded(before, victim.rss())
})

async function upgraded(url: string, query: string): Promise<Socket> {
  const answer = await operate(`${url}/api/admin/tail/ticket`)
  const { ticket } = (await answer.json()) as { ticket: string }
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const key = randomBytes(16).toString('base64')
  const head = [
    'Host: x',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  socket.write(`GET /api/admin/tail?ticket=${ticket}${query} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString('latin1'), /^HTTP\/1\.1 (101|400|401) /)
  return socket
}

async function closed(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

function bytesOf({ first, payload, masked, lie }: Frame): Buffer {
  const length = Math.max(0, payload.length + lie)
  const mask = masked ? 0x80 : 0
  const head =
    length < 126
      ? Buffer.of(first, mask | length)
      : length < 65_536
        ? Buffer.of(first, mask | 126, length >> 8, length & 255)
        : Buffer.concat([Buffer.of(first, mask | 127, 0, 0, 0, 0), uint32(length)])
  if (!masked) return Buffer.concat([head, payload])
  const key = Buffer.of(1, 2, 3, 4)
  return Buffer.concat([head, key, payload.map((byte, at) => byte ^ (key[at % 4] ?? 0))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
