import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 20_000
const LAST = 32_000

/**
 * Returns a free port below the range of the kernel's ephemeral ports, so that no outgoing connection takes it
 * meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
