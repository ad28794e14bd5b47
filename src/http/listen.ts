import { type TemplatedApp, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js'
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface Place {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** Others may listen on the same port. */
  readonly shared: boolean
}
export interface Bound {
  readonly socket: us_listen_socket
  readonly port: number
}

/** Rejects with what the system says: EADDRINUSE, EACCES, ENOTFOUND and so on. */
export async function bind(app: TemplatedApp, place: Place): Promise<Bound> {
  if (!place.shared && place.port !== 0) await probe(place)
  return new Promise((resolve, reject) => {
    app.listen(place.host, place.port, (socket) => {
      if (socket) resolve({ socket, port: us_socket_local_port(socket) })
      else reject(new Error(`cannot listen on ${place.host}:${place.port}`))
    })
  })
}

/** uWebSockets.js shares a port with whoever listens there already and never says why it cannot; a plain socket does neither. */
async function probe({ host, port }: Place): Promise<void> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
