import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A proxy on the loopback interface that leads every tunnel to one port. */
export interface TestProxy {
  readonly port: number
  /** Destinations that clients asked for, as `host:port`, in order. */
  readonly tunnels: readonly string[]
  /** The tunnels that stand. */
  readonly open: ReadonlySet<Socket>
}

interface ProxyOptions {
  /** The port that every tunnel leads to; 0: no destination can be reached. */
  readonly to: number
  /** `name:password` that clients have to give; absent: none. */
  readonly login?: string
}

/** Starts an HTTP proxy that makes tunnels (CONNECT) and nothing else. Without `to` they lead to the port that is asked for. */
export async function startHttpProxy(t: TestContext, { to, login }: Partial<ProxyOptions>): Promise<TestProxy> {
  const tunnels: string[] = []
  const open = new Set<Socket>()
  const server = createHttp((_req, res) => res.writeHead(405).end())
  server.on('connect', (req, client: Socket) => {
    const refuse = (status: string) => client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
    const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
    if (req.headers['proxy-authorization'] !== expected) return refuse('407 Proxy Authentication Required')
    tunnels.push(req.url ?? '')
    if (to === 0) return refuse('502 Bad Gateway')
    join(client, to ?? Number(req.url?.split(':')[1]), open, () =>
      client.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    )
  })
  return { port: await listening(t, server, open), tunnels, open }
}

/** Starts a SOCKS5 proxy (RFC 1928, RFC 1929) that takes host names and answers one byte at a time. */
export async function startSocksProxy(t: TestContext, { to, login }: ProxyOptions): Promise<TestProxy> {
  const tunnels: string[] = []
  const open = new Set<Socket>()
  const server = createTcp((client) => {
    open.add(client.on('error', () => {}))
    serveSocks(client).catch(() => client.destroy())
  })
  async function serveSocks(client: Socket): Promise<void> {
    const take = reader(client)
    const [, count = 0] = await take(2)
    const methods = await take(count)
    const method = login === undefined ? 0 : 2
    if (!methods.includes(method)) return void client.end(Buffer.from([5, 0xff]))
    trickle(client, [5, method])
    if (login !== undefined) {
      const [, nameLength = 0] = await take(2)
      const name = await take(nameLength)
      const [passwordLength = 0] = await take(1)
      const password = await take(passwordLength)
      const isRight = `${name}:${password}` === login
      trickle(client, [1, isRight ? 0 : 1])
      if (!isRight) return void client.end()
    }
    const [, , , type = 0] = await take(4)
    const host = type === 3 ? String(await take((await take(1))[0] ?? 0)) : (await take(4)).join('.')
    const port = (await take(2)).readUInt16BE()
    tunnels.push(`${host}:${port}`)
    const answer = (code: number) => trickle(client, [5, code, 0, 1, 0, 0, 0, 0, 0, 0])
    if (to === 0) return void answer(4)
    take.stop()
    join(client, to, open, () => answer(0))
  }
  return { port: await listening(t, server, open), tunnels, open }
}

/** Reads so many bytes at a time. `stop` leaves the rest to others. */
function reader(socket: Socket) {
  let buffered = Buffer.alloc(0)
  let wake = () => {}
  const onData = (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    wake()
  }
  socket.on('data', onData)
  const take = async (count: number): Promise<Buffer> => {
    while (buffered.length < count) await new Promise<void>((resolve) => (wake = resolve))
    const taken = buffered.subarray(0, count)
    buffered = buffered.subarray(count)
    return taken
  }
  return Object.assign(take, { stop: () => void socket.off('data', onData).pause() })
}

/** Writes each byte on its own, as a slow network delivers them. */
function trickle(socket: Socket, bytes: readonly number[]): void {
  socket.setNoDelay(true)
  for (const byte of bytes) socket.write(Buffer.from([byte]))
}

function join(client: Socket, port: number, open: Set<Socket>, established: () => void): void {
  const upstream = connect(port, '127.0.0.1', () => {
    established()
    upstream.pipe(client).pipe(upstream)
  })
  for (const socket of [client, upstream]) {
    open.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
}

async function listening(t: TestContext, server: Server, open: Set<Socket>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  })
  return (server.address() as AddressInfo).port
}
