import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ChatLimiter, Desk } from './desk.ts'
import type { Received, Reply } from './exchange.ts'
import type { HttpKind } from './http-kind.ts'
import { type Provider, RequestRecorder } from './provider.ts'

export interface HttpOptions {
  /** Absent: a free port. */
  readonly port?: number
  /** Speaks TLS with this certificate; absent: it does not. */
  readonly tls?: Pick<ServerOptions, 'key' | 'cert'>
  /** Absent: a chat is allowed any rate. */
  readonly limiter?: ChatLimiter
}

export async function startHttp(
  kind: string,
  face: HttpKind,
  { port = 0, tls, limiter }: HttpOptions,
): Promise<Provider> {
  const recorder = new RequestRecorder()
  const desk = new Desk(face, recorder, limiter)
  const bot = face.openBot?.(recorder.messages)
  const onRequest: RequestListener = (req, res) => {
    answer(req, res).catch(() => res.destroy())
  }
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await read(req)
    const reply = recorder.record(request, recorder.takeQueued())
    await reply?.after
    if (reply?.hang) return
    if (reply?.reset) res.socket?.resetAndDestroy()
    else write(res, { ...(silent(reply) ? ((await bot?.answer(request)) ?? desk.answer(request)) : {}), ...reply })
  }
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest)
  await listen(server, port)
  const bound = (server.address() as AddressInfo).port
  return Object.assign(recorder, {
    kind,
    ...(bot && { bot }),
    port: bound,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${bound}`,
    down: () => shut(server),
    up: () => listen(server, bound),
    async close() {
      if (server.listening) await shut(server)
      recorder.end(kind)
    },
  })
}

/** Returns true for a reply without status and body, which only delays the success. */
function silent(reply: Reply | undefined): boolean {
  return reply?.status === undefined && reply?.body === undefined
}

async function read(req: IncomingMessage): Promise<Received> {
  const body = (await buffer(req)).toString('utf8')
  const { method = '', url = '', headers } = req
  const json = parsed(body)
  return { method, path: url.split('?')[0] ?? '', url, headers, body, json, text: textOf(json), recipients: [] }
}

/** Returns all texts of a JSON value, in order. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textOf).filter(Boolean).join('\n')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function write(res: ServerResponse, { status = 200, headers = {}, body = '' }: Reply): void {
  if (res.destroyed) return
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  res.writeHead(status, { 'content-type': type, ...headers })
  res.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}

async function shut(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
