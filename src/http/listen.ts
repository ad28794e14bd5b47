import { type TemplatedApp, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly shared: Sharing
}

/**
 * - `no`: one front listens on the port.
 * - `opens`: the first of several fronts of this process.
 * - `joins`: a further one; the port is open already.
 */
type Sharing = 'no' | 'opens' | 'joins'

/** Listens. Rejects with the system's error, such as EADDRINUSE, EACCES or ENOTFOUND. */
export async function bind(
  app: TemplatedApp,
  address: ListenAddress,
): Promise<{ socket: us_listen_socket; port: number }> {
  const port = address.shared === 'joins' ? address.port : await probedPort(address)
  return new Promise((resolve, reject) => {
    app.listen(address.host, port, (socket) => {
      if (socket) resolve({ socket, port: us_socket_local_port(socket) })
      else reject(new Error(`cannot listen on ${address.host}:${address.port}`))
    })
  })
}

/**
 * Returns a port that a plain socket could bind, and rejects with its error otherwise: uWebSockets.js would silently
 * share a port with another process, and gives no reason when it cannot bind. Port 0 needs no probe, because
 * uWebSockets.js then binds a port of its own.
 */
async function probedPort({ host, port, shared }: ListenAddress): Promise<number> {
  if (port === 0 && shared === 'no') return 0
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  const bound = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return bound.port
}
