import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { send } from '../../harness/net/wire.ts'
import { maxOpenFiles } from '../../harness/watch/proc.ts'
import { shareOf } from '../campaign.ts'
import { assertBounded, assertMemoryReturned, startVictim } from '../victim.ts'
import { assertStandsFlood } from './flooded.ts'
import { startHealthProbe } from './health-probe.ts'
import { IdleConnections } from './idle-connections.ts'
import { startFlakyProvider } from './load-mix.ts'

test('three times its capacity while the provider hangs: only 201 and 503, /healthz answers, and memory returns', async (t) => {
  const flakyProvider = await startFlakyProvider(t, () => 1)
  const overrides = {
    alert: flakyProvider.alert,
    oncall: { enable: false },
    http: { max_inflight: 64 },
    delivery: { attempts: 1000, backoff: { initial: '20ms', max: '200ms' }, timeout: '1s' },
  }
  const victim = await startVictim(t, overrides, { limits: { max_backlog: 20_000 } })
  await assertStandsFlood(t, { victim, flakyProvider, seconds: shareOf(0.3) / 1_000 })
})

const POST = 'POST /api/incidents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const sized = (body: Uint8Array, headers = '') =>
  Buffer.concat([Buffer.from(`${POST}${headers}Content-Length: ${body.length}\r\n\r\n`), body])
const INCIDENT = sized(Buffer.from('{"title":"one among many"}'))
const BOMB = gzipSync(Buffer.alloc(60_000_000, 32))

/** Requests that keep a connection open or cost the service more than their sender. */
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
  'a control character in a header': () => [Buffer.from(`${POST}X-A: \u0001\r\n\r\n`)],
  'a thousand requests at once': () => [Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))],
  'a hundred incidents at once': () => Array<Uint8Array>(100).fill(INCIDENT),
  'a gzip bomb': () => [sized(BOMB, 'Content-Encoding: gzip\r\n')],
  'gzip that is none': () => [sized(Buffer.from('not gzip'), 'Content-Encoding: gzip\r\n')],
  'no request at all': () => [],
}

test('hundreds of idle, invalid and broken connections: others are served, and memory returns', async (t) => {
  const victim = await startVictim(t)
  const connections = new IdleConnections(t, victim.url)
  const annoy = async (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      for (const pieces of Object.values(NUISANCES)) await connections.open(pieces())
      const { status } = await send(victim.url, [INCIDENT])
      assert.equal(status, 201)
      if (connections.size > 400) connections.drop()
    }
    connections.drop()
  }
  await annoy(shareOf(0.02))
  const before = victim.rss()
  const health = startHealthProbe(victim)
  await annoy(shareOf(0.08))
  await health.ended(t)
  for (const [name, status] of [
    ['a gzip bomb', 413],
    ['gzip that is none', 400],
    ['a body of 50 MB', 413],
    ['headers of 100 KB', 431],
  ] as const)
    assert.equal((await send(victim.url, NUISANCES[name]?.() ?? [])).status, status, name)
  await victim.assertSound()
  assertBounded(before, victim.rss())
  await assertMemoryReturned(t, victim, before)
})

const CONNECTIONS = 10_000
/** Open files of a process besides these connections. */
const OTHER_FILES = 500

test('ten thousand idle connections: requests are served, and memory returns', async (t) => {
  const allowed = maxOpenFiles()
  if (allowed < CONNECTIONS + OTHER_FILES) return t.skip(`a process may open ${allowed} files here`)
  const victim = await startVictim(t)
  const connections = new IdleConnections(t, victim.url)
  await connections.openMany(CONNECTIONS)
  connections.drop()
  await connections.untilClosed()
  const before = victim.rss()
  const health = startHealthProbe(victim)
  await connections.openMany(CONNECTIONS)
  assert.equal(connections.size, CONNECTIONS)
  const { status } = await send(victim.url, [INCIDENT])
  assert.equal(status, 201)
  await health.ended(t)
  assertBounded(before, victim.rss())
  connections.drop()
  await connections.untilClosed()
  await victim.assertSound()
  await assertMemoryReturned(t, victim, before)
})

/** Slower than a client on a bad line. */
const TRICKLE_MS = 1_000

test('heads and bodies that arrive a byte at a time, and bytes that are no request, are cut off', async (t) => {
  const victim = await startVictim(t)
  const connections = new IdleConnections(t, victim.url)
  for (let n = 0; n < 50; n++) {
    await connections.trickle(Buffer.from(`${POST}X-A: `), TRICKLE_MS)
    await connections.trickle(Buffer.from(`${POST}Content-Length: 100000\r\n\r\n{"title":"`), TRICKLE_MS)
  }
  for (const name of ['a control character in a header', 'a hundred incidents at once', 'no request at all'])
    await connections.open(NUISANCES[name]?.())
  const health = startHealthProbe(victim)
  await connections.untilClosed()
  await health.ended(t)
  await victim.assertSound()
})
