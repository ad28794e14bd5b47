import { type TemplatedApp, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

interface ListenAddress {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly shared: Sharing
}

/** `opens`: others of this process will listen on the same port. `joins`: one of them does already. */
export type Sharing = 'no' | 'opens' | 'joins'

export interface Bound {
  readonly socket: us_listen_socket
  readonly port: number
}

/** Rejects with what the system says: EADDRINUSE, EACCES, ENOTFOUND and so on. */
export async function bind(app: TemplatedApp, address: ListenAddress): Promise<Bound> {
  const port = address.shared === 'joins' ? address.port : await probedPort(address)
  return new Promise((resolve, reject) => {
    app.listen(address.host, port, (socket) => {
      if (socket) resolve({ socket, port: us_socket_local_port(socket) })
      else reject(new Error(`cannot listen on ${address.host}:${address.port}`))
    })
  })
}

/**
 * uWebSockets.js shares a port with whoever listens there already and never says why it cannot; a plain socket does neither. A free port that it
 * finds itself it shares with nobody.
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
