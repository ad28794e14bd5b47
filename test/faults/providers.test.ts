import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { admin, FAST, post, SECRET } from '../support/system.ts'
import { holdsFor, until } from './campaign.ts'
import { body, word } from './hostile.ts'
import { assertBounded, startVictim } from './service.ts'

const STATUSES = [
  100, 101, 103, 200, 200, 200, 202, 204, 206, 300, 302, 304, 400, 401, 404, 408, 429, 429, 500, 503, 599, 999,
]
const HEADERS = [
  ...[
    'Retry-After: 0',
    'Retry-After: -1',
    'Retry-After: 1e999',
    `Retry-After: ${'9'.repeat(400)}`,
    'Retry-After: tomorrow',
  ],
  ...[
    'Location: http://169.254.169.254/latest/meta-data',
    'Location: /again',
    'Content-Encoding: gzip',
    'Content-Encoding: br',
  ],
  ...[
    'Content-Type: application/json; charset=utf-7',
    'Content-Length: 5',
    'Content-Length: -1',
    'Transfer-Encoding: chunked',
  ],
  ...[
    'Connection: upgrade',
    'Connection: close',
    `X-Long: ${'x'.repeat(20_000)}`,
    'Set-Cookie: __proto__=1',
    'bad header',
  ],
]
const known = fc.constantFrom(
  '{"ok":true,"ts":{"toString":null}}',
  '{"ok":false,"error":{"toString":null}}',
  '{"ok":false,"error_code":429,"parameters":{"retry_after":1e999}}',
  '{"ok":false,"error_code":429,"parameters":{"retry_after":-1}}',
  '{"ok":false,"error_code":429,"parameters":null,"description":{}}',
  '{"ok":true,"result":null}',
  '{"status":0,"message_token":1e999}',
  '{"status":"0","status_message":["x"]}',
  '{"code":0}',
  '{"code":"__proto__","msg":{"toJSON":1}}',
)
const answer = fc.record({
  status: fc.constantFrom(...STATUSES),
  headers: fc.uniqueArray(
    fc.oneof(
      fc.constantFrom(...HEADERS),
      word.map((text) => `X-A: ${text.slice(0, 200)}`),
    ),
    {
      maxLength: 3,
    },
  ),
  body: fc.oneof(
    known.map((text) => Buffer.from(text)),
    body,
  ),
  /** Nothing but these bytes. */
  raw: fc.option(fc.uint8Array({ maxLength: 100 }), { freq: 6 }),
  /** Cut after so many bytes. */
  cut: fc.option(fc.nat(300), { freq: 6 }),
  mail: fc.array(
    fc.oneof(fc.constantFrom('250 ok', '220 hi', '354 go on', '421', '999 x', '250-', '550 no', '334 %%%'), word),
    {
      maxLength: 6,
    },
  ),
})
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never

const CHANNELS = ['chatws', 'msgapp', 'messenger', 'officechat', 'workchat', 'email'] as const

test('whatever a provider answers, an attempt ends and the service goes on', async (t) => {
  const provider = await startRude(t)
  const at = { api_url: provider.url, token: 'token', channel_id: 'C1', enable: true, ...FAST }
  const victim = await startVictim(t, {
    alert: {
      ...{ chatws: at, msgapp: at, messenger: at, workchat: { ...at, channel_id: '' } },
      officechat: { enable: true, flow_url: `${provider.url}/flow`, ...FAST },
      email: {
        enable: true,
        smtp_host: '127.0.0.1',
        smtp_port: provider.port,
        from: 'a@b.c',
        to: 'd@e.f',
        tls: 'none',
        ...FAST,
      },
    },
    oncall: { enable: true, wait_minutes: 0, provider: 'webhook', webhook: { url: `${provider.url}/page` } },
    delivery: {
      attempts: 2,
      backoff: { initial: '10ms', max: '20ms' },
      timeout: '500ms',
      circuit: { failures: 1_000_000 },
    },
  })
  const before = victim.rss()
  const arbitrary = fc.tuple(fc.constantFrom(...CHANNELS), answer, fc.boolean())
  await holdsFor(t, { share: 0.08, arbitrary }, async ([channel, next, incident]) => {
    provider.next = next
    if (incident) await (await post(victim.url, { title: 'to everybody' })).arrayBuffer()
    const trial = await fetch(`${victim.url}/api/admin/channels/${channel}/test`, {
      method: 'POST',
      headers: { 'X-Gateway-Secret': SECRET },
    })
    const says = await trial.text()
    assert.equal(trial.status, 200, `${channel}: ${trial.status} ${says}`)
    assert.ok(says.length < 20_000, says)
  })
  provider.next = { status: 400, headers: [], body: Buffer.of(), raw: null, cut: null, mail: ['550 no'] }
  const open = async () =>
    ((await admin(victim.url, '/api/admin/stats')) as { storage: { unfinished_deliveries: number } }).storage
      .unfinished_deliveries
  await until(open, (left) => left === 0, { everyMs: 200 })
  await victim.sound()
  assertBounded(before, victim.rss())
})

/** Speaks anything, over TCP: HTTP to who begins, mail to who waits. */
async function startRude(t: TestContext) {
  const rude = { next: undefined as Answer | undefined, url: '', port: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    const greeting = setTimeout(() => socket.end((rude.next?.mail ?? []).map((line) => `${line}\r\n`).join('')), 50)
    socket.once('data', () => {
      clearTimeout(greeting)
      if (rude.next) speak(socket, rude.next)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  rude.port = (server.address() as AddressInfo).port
  rude.url = `http://127.0.0.1:${rude.port}`
  return rude
}

function speak(socket: Socket, { status, headers, body, raw, cut }: Answer): void {
  const length = headers.some((line) => /^(content-length|transfer-encoding)/i.test(line))
    ? []
    : [`Content-Length: ${body.length}`]
  const head = [`HTTP/1.1 ${status} x`, ...headers, ...length, '', ''].join('\r\n')
  const bytes = raw ?? Buffer.concat([Buffer.from(head), body])
  socket.write(bytes.subarray(0, cut ?? bytes.length))
  if (cut !== null || raw !== null) socket.end()
}
