import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { shareOf, until } from './campaign.ts'
import { assertBounded, startVictim } from './service.ts'
import { send } from './wire.ts'

const HEALTH_MS = 500
/** A machine that is shared with the load may hold up one look; the service may not hold up several. */
const LATE_LOOKS = 0.05

/** Looks at /healthz again and again, as a probe does, until told to stop. */
function probe(url: string) {
  const stop = new AbortController()
  const looks: number[] = []
  const work = (async () => {
    while (!stop.signal.aborted) {
      const start = performance.now()
      const { status } = await fetch(`${url}/healthz`)
      looks.push(performance.now() - start)
      assert.equal(status, 200)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    async ended(t: TestContext): Promise<void> {
      stop.abort()
      await work
      const late = looks.filter((ms) => ms > HEALTH_MS).length
      t.diagnostic(`${looks.length} looks at /healthz, the slowest ${Math.round(Math.max(...looks))} ms, ${late} late`)
      assert.ok(late <= looks.length * LATE_LOOKS, `${late} of ${looks.length} looks took more than ${HEALTH_MS} ms`)
    },
  }
}

const POST = 'POST /api/incidents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const sized = (body: Uint8Array, headers = '') =>
  Buffer.concat([Buffer.from(`${POST}${headers}Content-Length: ${body.length}\r\n\r\n`), body])
const incident = (bytes: number) => Buffer.from(`{"title":"flood","pad":"${'x'.repeat(bytes)}"}`)

test('a flood while every provider hangs: documented answers, a probe that is answered, memory that comes back', async (t) => {
  const victim = await startVictim(t, { http: { max_inflight: 64 } })
  for (const provider of [victim.chat, victim.flow]) provider.script = () => ({ hang: true })
  const before = victim.rss()
  const health = probe(victim.url)
  const end = performance.now() + shareOf(0.1)
  const seen = new Map<number, number>()
  const whole = sized(incident(2_000))
  const lane = async () => {
    while (performance.now() < end) {
      const { status } = await send(victim.url, [whole])
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 200 }, lane))
  await health.ended(t)
  t.diagnostic(JSON.stringify([...seen]))
  assert.deepEqual(
    [...seen.keys()].filter((status) => status !== 201 && status !== 503),
    [],
  )
  await victim.sound()
  assertBounded(before, victim.rss())
})

/** Ways to hold on to a connection, or to make its request expensive. */
const NUISANCES: { readonly [name: string]: () => readonly Uint8Array[] } = {
  'a head that never ends': () => [Buffer.from(`${POST}X-A: 1\r\n`)],
  'a body that never comes': () => [Buffer.from(`${POST}Content-Length: 100\r\n\r\n{`)],
  'a body of 50 MB': () => [Buffer.from(`${POST}Content-Length: 52428800\r\n\r\n`), Buffer.alloc(2_000_000, 32)],
  'chunks without end': () => [
    Buffer.from(`${POST}Transfer-Encoding: chunked\r\n\r\n`),
    Buffer.from(`1\r\n \r\n`.repeat(5_000)),
  ],
  'a chunk size that is none': () => [Buffer.from(`${POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`)],
  'headers of 100 KB': () => [Buffer.from(`${POST}${`X-${'a'.repeat(90)}: ${'b'.repeat(900)}\r\n`.repeat(100)}\r\n`)],
  'a thousand requests at once': () => [Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))],
  'a gzip bomb': () => [sized(BOMB, 'Content-Encoding: gzip\r\n')],
  'gzip that is none': () => [sized(Buffer.from('not gzip'), 'Content-Encoding: gzip\r\n')],
  'no request at all': () => [],
}
const BOMB = gzipSync(Buffer.alloc(60_000_000, 32))

test('hundreds of connections that hold on, send rubbish or leave: others are served, and nothing of them stays', async (t) => {
  const victim = await startVictim(t)
  await send(victim.url, [sized(BOMB, 'Content-Encoding: gzip\r\n')])
  const before = victim.rss()
  const health = probe(victim.url)
  const held = new Set<Socket>()
  t.after(() => drop(held))
  const end = performance.now() + shareOf(0.08)
  while (performance.now() < end) {
    for (const pieces of Object.values(NUISANCES)) await hold(victim.url, pieces(), held)
    const { status } = await send(victim.url, [sized(incident(100))])
    assert.equal(status, 201)
    if (held.size > 400) drop(held)
  }
  drop(held)
  await health.ended(t)
  for (const [name, status] of [
    ['a gzip bomb', 413],
    ['gzip that is none', 400],
    ['a body of 50 MB', 413],
  ] as const)
    assert.equal((await send(victim.url, NUISANCES[name]?.() ?? [])).status, status, name)
  await victim.sound()
  assertBounded(before, victim.rss())
})

test('thousands of idle connections leave room for those that ask', async (t) => {
  const victim = await startVictim(t)
  const held = new Set<Socket>()
  t.after(() => drop(held))
  const health = probe(victim.url)
  for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 100 }, () => hold(victim.url, [], held)))
  const { status } = await send(victim.url, [sized(incident(100))])
  assert.equal(status, 201)
  await health.ended(t)
  drop(held)
  await until(
    () => held.size,
    (left) => left === 0,
  )
  await victim.sound()
})

async function hold(url: string, pieces: readonly Uint8Array[], held: Set<Socket>): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.on('close', () => held.delete(socket))
  held.add(socket)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  socket.resume()
  for (const piece of pieces) socket.write(piece)
}

function drop(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy()
}
