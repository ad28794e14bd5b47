import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { body, word } from './hostile.ts'

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
/** Generates any answer over a connection. `known`: bodies that the provider in question may send. */
export const answerOf = (known: fc.Arbitrary<string>) =>
  fc.record({
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
    /** Sent instead of an HTTP answer. */
    raw: fc.option(fc.uint8Array({ maxLength: 100 }), { freq: 6 }),
    /** Bytes after which the connection is cut. */
    cut: fc.option(fc.nat(300), { freq: 6 }),
    mail: fc.array(
      fc.oneof(fc.constantFrom('250 ok', '220 hi', '354 go on', '421', '999 x', '250-', '550 no', '334 %%%'), word),
      {
        maxLength: 6,
      },
    ),
  })
type Answer = ReturnType<typeof answerOf> extends fc.Arbitrary<infer T> ? T : never

/**
 * Starts a TCP server that sends `next`: as HTTP to a client that sends first, as SMTP to one that waits. `ends`:
 * closes the connection after each answer.
 */
export async function startBadServer(t: TestContext, { ends = false } = {}) {
  const badServer = { next: undefined as Answer | undefined, url: '', port: 0, asked: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    const greeting = setTimeout(
      () => socket.end((badServer.next?.mail ?? []).map((line) => `${line}\r\n`).join('')),
      50,
    )
    socket.once('data', () => {
      clearTimeout(greeting)
      badServer.asked++
      if (badServer.next) speak(socket, badServer.next)
      if (ends) socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  badServer.port = (server.address() as AddressInfo).port
  badServer.url = `http://127.0.0.1:${badServer.port}`
  return badServer
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
