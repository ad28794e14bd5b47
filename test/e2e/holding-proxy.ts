import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Starts a proxy before the service that keeps back WebSocket upgrades whose address has `part` until `release`. */
export async function startHoldingProxy(t: TestContext, service: string, part: string) {
  const held: { readonly client: Socket; readonly request: Buffer; readonly closed: Promise<unknown> }[] = []
  const sockets = new Set<Socket>()
  const holding = Promise.withResolvers<void>()
  const open = (client: Socket, request: Buffer) => {
    const upstream = connect(Number(new URL(service).port), '127.0.0.1')
    sockets.add(upstream)
    upstream.on('error', () => client.destroy())
    upstream.write(request)
    upstream.pipe(client).pipe(upstream)
  }
  const proxy = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {})
    client.once('data', (request) => {
      const [line = ''] = request.toString('latin1').split('\r\n')
      if (!line.includes('/api/admin/tail?') || !line.includes(part)) return open(client, request)
      held.push({ client, request, closed: once(client, 'close') })
      holding.resolve()
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = proxy.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    holding: holding.promise,
    /** Lets the upgrades through, and resolves when the browser has closed their connections. */
    async release(): Promise<void> {
      const released = held.splice(0)
      for (const { client, request } of released) open(client, request)
      await Promise.all(released.map(({ closed }) => closed))
    },
  }
}
