import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { spawnNode } from '../../test/harness/spawn.ts'

/** Events that the clients have received so far. */
export interface TailCounts {
  /** By the client that received the fewest. */
  readonly least: number
  readonly most: number
  /** Gaps that the service reported, over all clients. */
  readonly missed: number
  /** CPU time of the clients' process. */
  readonly cpuSeconds: number
}

export interface TailClients {
  counts(): Promise<TailCounts>
  stop(): Promise<void>
}

interface TailEndpoint {
  readonly url: string
  readonly secret: string
  /** Begins with `&`. */
  readonly query: string
}

const SCRIPT = fileURLToPath(new URL('./tail-client-process.ts', import.meta.url))

/** Starts live-tail clients in one process of their own. Resolves when all are connected. */
export async function startTailClients({ url, secret, query }: TailEndpoint, clients: number): Promise<TailClients> {
  const child = spawnNode([SCRIPT, url, secret, String(clients), query], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the process of the live-tail clients has ended')
    return value
  }
  await nextLine()
  return {
    async counts() {
      child.stdin?.write('\n')
      return JSON.parse(await nextLine()) as TailCounts
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
