import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TailEndpoint } from './handshake.ts'

/** What a crowd of live-tail clients has been sent. */
export interface TailCounts {
  /** Events of the client that was sent the fewest. */
  readonly least: number
  readonly most: number
  /** Times that any was told it missed events. */
  readonly missed: number
  /** Of the crowd's process, so far. */
  readonly cpuSeconds: number
}

export interface TailClients {
  sent(): Promise<TailCounts>
  stop(): Promise<void>
}

const SCRIPT = fileURLToPath(new URL('./watch.ts', import.meta.url))

/** Resolves when all have been let in. `wish`: the query after the ticket. */
export async function startTailClients(to: TailEndpoint, clients: number, query: string): Promise<TailClients> {
  const args = [SCRIPT, String(to.port), to.secret, String(clients), query]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => {
    const { value, done } = await said.next()
    if (done) throw new Error('the crowd has ended')
    return value
  }
  await line()
  return {
    async sent() {
      child.stdin.write('\n')
      return JSON.parse(await line()) as TailCounts
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
