import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A TCP proxy on the loopback interface that can fall silent, as a network that drops all packets. */
export interface SilentProxy {
  readonly port: number
  /** While it is silent, connections stand and carry nothing; new ones are taken. Afterwards all go on. */
  silence(isSilent: boolean): void
}

export async function silentProxy(t: TestContext, to: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => into.write(chunk))
      from.on('error', () => from.destroy())
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
      if (isSilent) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    silence(next) {
      isSilent = next
      for (const socket of sockets) {
        if (next) socket.pause()
        else socket.resume()
      }
    },
  }
}
